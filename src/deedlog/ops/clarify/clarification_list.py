from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.clarification import Clarification
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.clarify_rows import EXPIRED, ClarificationRow, clarification_row, status_of
from deedlog.work.lookup import every


class Listed(TypedDict):
    clarifications: list[ClarificationRow]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    people=True,
    columns=("session_id", "status", "user_intention", "questions_open", "created_at"),
    examples=("deedlog clarification list", "deedlog clarification list --status open"),
)
def clarification_list(
    ctx: Context,
    *,
    status: Annotated[
        Literal["open", "expired", "completed", "reset"] | None, Field("Only those with this status")
    ] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 20,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List clarifications, newest first: what was asked, and what became of it."""
    where = {"status": "open" if status == EXPIRED else status} if status else {}
    found = []
    for session in every(ctx.ledger, Clarification, where, before=page.opened(cursor)):
        if status in (None, status_of(ctx, session)):
            found.append(session)
        if len(found) > limit:
            break
    rows = page.fitting([clarification_row(ctx, session) for session in found[:limit]])
    if len(rows) == len(found):
        return {"clarifications": rows}
    return {"clarifications": rows, "next_cursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}
