from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.definition import as_yaml
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agents import find_agent


class Exported(TypedDict):
    yaml: str


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    raw="yaml",
    resource="agent://{name}",
    mime_type="application/yaml",
    listed_by="agent_list",
    resource_name="Agent: {name}",
    resource_about="Agent definition for {name}",
    examples=("deedlog agent export coder > coder.yaml",),
)
def agent_export(
    ctx: Context, *, name: Annotated[str, Field("The agent's name", min_length=1, max_length=200)]
) -> Exported:
    """Write an agent definition as YAML, as agent_import reads it."""
    return {"yaml": as_yaml(find_agent(ctx, name))}
