from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.gate.mount import Passage
from deedlog.core.moment import iso
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every

Outcome = Literal["ok", "error", "refused", "failed", "timeout", "cancelled", "lost"]
NONE_YET = "no tool of another server was called yet; `mcp_activate NAME` mounts one, `mcp_discover` finds one"


class Row(TypedDict):
    id: str
    at: str
    server: str
    tool: str
    outcome: str
    milliseconds: int
    characters: int
    actor: str
    arguments: NotRequired[str]
    problem: NotRequired[str]


class Listed(TypedDict):
    calls: list[Row]
    nextCursor: NotRequired[str]
    hint: NotRequired[str]


@operation(
    Effect.READ,
    capability="gateway",
    callers=ANYONE,
    people=True,
    camel=True,
    columns=("at", "server", "tool", "outcome", "milliseconds", "actor", "problem"),
    examples=("deedlog mcp calls", "deedlog mcp calls --server time --outcome failed"),
)
def mcp_calls(
    ctx: Context,
    *,
    server: Annotated[str | None, Field("Only of this server", max_length=200)] = None,
    outcome: Annotated[Outcome | None, Field("Only those that ended so")] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 50,
    cursor: Annotated[str | None, Field("nextCursor of the page before", max_length=400)] = None,
) -> Listed:
    """Calls of tools of mounted servers, newest first: who, what, how long, with what end."""
    where = {name: value for name, value in (("server", server), ("outcome", outcome)) if value is not None}
    found = every(ctx.ledger, Passage, where, before=page.opened(cursor))
    rows, last = [], None
    room = page.MOST_CHARACTERS
    for passage in found:
        row = _row(passage)
        room -= page.size(row)
        if last is not None and (len(rows) == limit or room < 0):
            return {"calls": rows, "nextCursor": page.cursor(ctx.ledger.sort_key(last))}
        rows.append(row)
        last = passage
    return {"calls": rows} if rows or where or cursor else {"calls": [], "hint": NONE_YET}


def _row(passage: Passage) -> Row:
    row: Row = {
        "id": passage.id,
        "at": iso(passage.created_at),
        "server": passage.server,
        "tool": passage.tool,
        "outcome": passage.outcome,
        "milliseconds": passage.milliseconds,
        "characters": passage.characters,
        "actor": passage.actor,
    }
    if passage.arguments:
        row["arguments"] = passage.arguments
    if passage.problem:
        row["problem"] = passage.problem
    return row
