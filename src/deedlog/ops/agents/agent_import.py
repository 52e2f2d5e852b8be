from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import PEOPLE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agent_reading import read_agent
from deedlog.work.agent_rows import AgentWritten
from deedlog.work.agents import create, put
from deedlog.work.lookup import repeated


@operation(
    Effect.WRITE,
    capability="authoring",
    callers=PEOPLE,
    further=True,
    camel=True,
    examples=("deedlog agent import @coder.yaml", "deedlog agent import - --replace < coder.yaml"),
)
def agent_import(
    ctx: Context,
    *,
    yaml: Annotated[str, Field("A definition, as agent_export writes it", min_length=1, max_length=100_000)],
    replace: Annotated[bool, Field("Replace an agent of that name")] = False,
) -> AgentWritten:
    """Define an agent from YAML. Everything the text does not say is as agent_create has it."""
    agent = read_agent(yaml, "yaml", ctx.now)
    return repeated(lambda: put(ctx, agent, "Imported") if replace else create(ctx, agent, "Imported", anew=True))
