from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agent_rows import AgentDetails, agent_details
from deedlog.work.agents import find_agent


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    alias="agent show",
    examples=("deedlog agent get coder", "deedlog agent show coder --json"),
)
def agent_get(
    ctx: Context, *, name: Annotated[str, Field("The agent's name", min_length=1, max_length=200)]
) -> AgentDetails:
    """Get agent definition details: client, model, scope, instructions, command, checks and budget."""
    return agent_details(find_agent(ctx, name))
