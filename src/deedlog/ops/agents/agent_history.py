from __future__ import annotations

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.agent_inputs import Name
from deedlog.work.agents import find_agent
from deedlog.work.versions import History, Most, versions


@operation(
    Effect.READ,
    capability="authoring",
    callers=ANYONE,
    further=True,
    camel=True,
    columns=("version", "changedAt", "changedBy", "fields"),
    examples=("deedlog agent history coder",),
)
def agent_history(
    ctx: Context,
    *,
    name: Name,
    limit: Most = 20,
) -> History:
    """Show who changed an agent definition when, and what; newest first."""
    built_in = BUILT_IN.get(name)
    found = versions(ctx, f"{Agent.kind}://{name}", limit, built_in.body() if built_in else None)
    if not found:
        find_agent(ctx, name)  # one that is built in has no history
    return {"history": found}
