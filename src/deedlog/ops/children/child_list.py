from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.child import STATES, TERMINATED, is_child
from deedlog.core.task import Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_rows import child_row

MOST_LOOKED_AT = 1_000  # for one page
LOOK = 50


class Listed(TypedDict):
    children: list[dict[str, Any]]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    columns=("child_id", "task_id", "state", "runtime_status", "role", "workdir"),
    examples=("deedlog child list", "deedlog child list --state running"),
)
def child_list(
    ctx: Context,
    *,
    state: Annotated[
        Literal["starting", "ready", "running", "idle", "stopping", "terminated", "live"] | None,
        Field("Only these; live: all that have not ended"),
    ] = None,
    limit: Annotated[int, Field("At most", minimum=1, maximum=200)] = 20,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List children, newest first."""
    wanted = _states(state)
    rows: list[dict[str, Any]] = []
    after = page.opened(cursor)
    for _ in range(MOST_LOOKED_AT // LOOK):
        some = ctx.ledger.find(Session, {}, limit=LOOK, before=after)
        for session in some:
            row = child_row(ctx, session) if is_child(session) else None
            if row and row["state"] in wanted:
                rows.append(row)
            after = ctx.ledger.sort_key(session)
            if len(rows) == limit or page.size(rows) > page.MOST_CHARACTERS:
                return {"children": rows, "next_cursor": page.cursor(after)}
        if len(some) < LOOK:
            return {"children": rows}
    assert after is not None
    return {"children": rows, "next_cursor": page.cursor(after)}


def _states(state: str | None) -> tuple[str, ...]:
    if state == "live":
        return tuple(name for name in STATES if name != TERMINATED)
    return (state,) if state else STATES
