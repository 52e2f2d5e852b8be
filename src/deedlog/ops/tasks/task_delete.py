from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.task import Task
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context, Gone
from deedlog.work.board import resting_on, workflows_after
from deedlog.work.deleting import why_kept
from deedlog.work.dependency import not_blocking
from deedlog.work.lookup import repeated
from deedlog.work.task_inputs import TaskId


class Deleted(TypedDict):
    id: int
    deleted: bool


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    examples=("deedlog task delete 5",),
)
def task_delete(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
) -> Deleted:
    """Delete a task on which nothing was recorded yet."""
    return repeated(lambda: _delete(ctx, id))


def _delete(ctx: Context, number: int) -> Deleted:
    seen = ctx.ledger.head()
    task = ctx.ledger.get(Task, str(number))
    if why := why_kept(ctx, task):
        raise Conflict(
            f"{task.ref} cannot be deleted: {why}",
            hint="task_cancel says that it will not be done",
            data={"task_id": task.number},
        )
    needed = (ctx.ledger.find_one(Task, task_id) for task_id in task.depends_on)
    answer: Deleted = {"id": task.number, "deleted": True}
    gone = Gone(entity=task)
    return ctx.commit(
        gone,
        *workflows_after(ctx, [gone]),
        *(not_blocking(other, task.id) for other in needed if other),
        answer=answer,
        seen=resting_on(task, seen, task.uri),
    )
