from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agent_rows import AgentRow, agent_row
from deedlog.work.agents import every_agent


class Listed(TypedDict):
    agents: list[AgentRow]
    nextCursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    columns=("name", "client", "model", "scope"),
    examples=("deedlog agent list",),
)
def agent_list(
    ctx: Context, *, cursor: Annotated[str | None, Field("nextCursor of the page before", max_length=400)] = None
) -> Listed:
    """List agent definitions, the built-in ones included, by name."""
    seen = page.opened(cursor)
    rows = [agent_row(agent) for agent in every_agent(ctx) if seen is None or agent.name > seen[1]]
    kept = page.fitting(rows)
    if len(kept) == len(rows):
        return {"agents": rows}
    return {"agents": kept, "nextCursor": page.cursor((0, kept[-1]["name"]))}
