from __future__ import annotations

from typing import TypedDict

from deedlog.core.errors import Conflict
from deedlog.core.queue import is_held
from deedlog.core.remark import Decision, Issue, Milestone, Review
from deedlog.core.task import Session, Task
from deedlog.core.value import Entity
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context, Gone
from deedlog.work.board import resting_on, workflows_after
from deedlog.work.dependency import not_blocking
from deedlog.work.lookup import repeated
from deedlog.work.task_inputs import TaskId

REMARKS: tuple[type[Entity], ...] = (Session, Decision, Issue, Milestone, Review)


class Deleted(TypedDict):
    id: int
    deleted: bool


@operation(
    Effect.WRITE,
    capability="tasks",
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
    if why := _needed(ctx, task):
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


def _needed(ctx: Context, task: Task) -> str:
    """What would be lost or left behind without it."""
    if is_held(task, ctx.now):
        return f"{task.holder} has claimed it"
    for kind in REMARKS:
        if ctx.ledger.find(kind, {"task_id": task.id}, limit=1):
            return f"there is a {kind.kind} of it"
    if below := ctx.ledger.find(Task, {"parent_id": task.id}, limit=1):
        return f"{below[0].ref} is a part of it"
    waiting = (ctx.ledger.find_one(Task, task_id) for task_id in task.blocks)
    if found := next((other for other in waiting if other), None):
        return f"{found.ref} waits for it"
    return ""
