from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.remark import Review
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.reading import review_row


class Row(TypedDict):
    review_id: str
    task_id: str
    reason: str
    waiting_seconds: NotRequired[int]
    question: str
    choices: NotRequired[list[str]]
    status: str
    created_at: str
    verdict: NotRequired[str]
    note: NotRequired[str]
    reviewed_by: NotRequired[str]
    reviewed_at: NotRequired[str]
    task_name: str
    about: str


class Listed(TypedDict):
    reviews: list[Row]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    columns=("review_id", "task_id", "reason", "status", "verdict", "question"),
    whole="question",
    examples=("deedlog review list", "deedlog review list --status all"),
)
def review_list(
    ctx: Context,
    *,
    status: Annotated[Literal["open", "closed", "all"], Field("Only reviews with this status")] = "open",
    task_id: Annotated[str | None, Field("Only reviews of this task", max_length=80)] = None,
    workflow_id: Annotated[str | None, Field("Only reviews of this workflow", max_length=80)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 50,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List what waits for a person, the longest waiting first.

    Reasons: question (an agent asks), issue (a resolution to look at), manual_review (asked for at the end of a task),
    scope (files outside the declared areas), permission (a call of an agent), memory (a draft to activate),
    changes_unknown; of workers worker_failed, budget, checks, conflict.
    """
    where: dict[str, object] = {} if status == "all" else {"status": status}
    if task_id:
        where["task_id"] = ctx.ledger.get(Task, task_id).id
    if workflow_id:
        where["workflow_id"] = ctx.ledger.get(Workflow, workflow_id).id
    found = ctx.ledger.find(Review, where, limit=limit + 1, before=page.opened(cursor), oldest=True)
    tasks = {id_: ctx.ledger.find_one(Task, id_) for id_ in {review.task_id for review in found}}
    rows = page.fitting([_row(ctx, review, tasks[review.task_id]) for review in found[:limit]])
    if len(rows) == len(found):
        return {"reviews": rows}
    return {"reviews": rows, "next_cursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}


def _row(ctx: Context, review: Review, task: Task | None) -> Row:
    """One that was raised while its task was being removed names it by its id."""
    review_id = {"review_id": review.id, "task_id": task.ref if task else review.task_id}
    named = {"task_name": task.name if task else ""}
    row: Any = {**review_id, **review_row(ctx, review), **named, "about": review.about}
    found: Row = row
    return found
