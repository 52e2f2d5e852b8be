from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.task import STATUSES, Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Row(TypedDict):
    workflow_id: str
    name: str
    status: str
    created_at: str
    ended_at: NotRequired[str]
    tasks: NotRequired[dict[str, int]]


class Listed(TypedDict):
    workflows: list[Row]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    examples=("deedlog workflow list", "deedlog workflow list --status in_progress --json"),
)
def workflow_list(
    ctx: Context,
    *,
    status: Annotated[
        Literal["in_progress", "completed", "partial", "failed"] | None, Field("Only workflows with this status")
    ] = None,
    counts: Annotated[bool, Field("With how many tasks each has", rare=True)] = False,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 50,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List workflows, newest first."""
    where = {"status": status} if status else {}
    found = ctx.ledger.find(Workflow, where, limit=limit + 1, before=page.opened(cursor))
    rows = page.fitting([_row(ctx, workflow, counts=counts) for workflow in found[:limit]])
    if len(rows) == len(found):
        return {"workflows": rows}
    return {"workflows": rows, "next_cursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}


def _row(ctx: Context, workflow: Workflow, *, counts: bool) -> Row:
    row: Row = {
        "workflow_id": workflow.id,
        "name": workflow.name,
        "status": workflow.status,
        "created_at": iso(workflow.created_at),
    }
    if counts:
        where = {"workflow_id": workflow.id}
        found = {status: ctx.ledger.count(Task, {**where, "status": status}) for status in STATUSES}
        row["tasks"] = {status: number for status, number in found.items() if number}
        if workflow.ended_at is not None:
            row["ended_at"] = iso(workflow.ended_at)
    return row
