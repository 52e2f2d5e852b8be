from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agent_inputs import Name
from deedlog.work.agents import find_agent
from deedlog.work.versions import Version, versions


class History(TypedDict):
    history: list[Version]


@operation(
    Effect.READ,
    capability="authoring",
    camel=True,
    columns=("version", "changedAt", "changedBy", "fields"),
    examples=("deedlog agent history coder",),
)
def agent_history(
    ctx: Context,
    *,
    name: Name,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 20,
) -> History:
    """Show who changed an agent definition when, and what; newest first."""
    built_in = BUILT_IN.get(name)
    found = versions(ctx, f"{Agent.kind}://{name}", limit, built_in.body() if built_in else None)
    if not found:
        find_agent(ctx, name)  # one that is built in has no history
    return {"history": found}
