from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.moment import iso
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Row(TypedDict):
    workflow_id: str
    name: str
    status: str
    created_at: str


class Listed(TypedDict):
    workflows: list[Row]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    further=True,
    examples=("deedlog workflow list", "deedlog workflow list --status in_progress --json"),
)
def workflow_list(
    ctx: Context,
    *,
    status: Annotated[
        Literal["in_progress", "completed", "partial", "failed"] | None, Field("Only workflows with this status")
    ] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 50,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List workflows, newest first."""
    where = {"status": status} if status else {}
    found = ctx.ledger.find(Workflow, where, limit=limit + 1, before=page.opened(cursor))
    rows: list[Row] = [
        {"workflow_id": w.id, "name": w.name, "status": w.status, "created_at": iso(w.created_at)}
        for w in found[:limit]
    ]
    rows = page.fitting(rows)
    if len(rows) == len(found):
        return {"workflows": rows}
    return {"workflows": rows, "next_cursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}
