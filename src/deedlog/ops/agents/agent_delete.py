from __future__ import annotations

from deedlog.core.caller import PEOPLE
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.agent_inputs import Name
from deedlog.work.agent_rows import AgentWritten
from deedlog.work.agents import delete


@operation(
    Effect.WRITE,
    capability="authoring",
    callers=PEOPLE,
    further=True,
    camel=True,
    examples=("deedlog agent delete tester",),
)
def agent_delete(ctx: Context, *, name: Name) -> AgentWritten:
    """Delete an agent definition. An edited built-in agent is then as it was built in."""
    return delete(ctx, name)
