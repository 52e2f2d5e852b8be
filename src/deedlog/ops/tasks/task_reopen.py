from __future__ import annotations

from typing import NotRequired

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.queue import derived, queued
from deedlog.core.task import CANCELLED, FAILED, Session, Task
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, unfinished, with_dependents
from deedlog.work.lookup import every, repeated
from deedlog.work.task_inputs import TaskId
from deedlog.work.task_rows import SENT_BACK, TO_MERGE, Row, task_row


class Reopened(Row):
    hint: NotRequired[str]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    examples=("deedlog task reopen 5",),
)
def task_reopen(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
) -> Reopened:
    """Put a cancelled or failed task back into the queue."""
    return repeated(lambda: _reopen(ctx, id))


def _reopen(ctx: Context, number: int) -> Reopened:
    seen = ctx.ledger.head()
    before = ctx.ledger.get(Task, str(number))
    if before.status not in (CANCELLED, FAILED):
        raise Conflict(
            f"{before.ref} is {before.status}: only what was cancelled or failed can be taken up again",
            hint=f"{SENT_BACK}, or create a task for what is left to do",
            data={"task_id": before.number, "status": before.status},
        )
    if before.status == FAILED and before.retry:
        return _answer(ctx, before)
    task = before.replace(cancelled=False, cancel_reason="", updated_at=ctx.now)
    task = derived(task, every(ctx.ledger, Session, {"task_id": task.id}))
    waiting = unfinished(ctx, task.depends_on)
    task = queued(task.replace(waiting=waiting, retry=task.status == FAILED))
    about = resting_on(task, seen, *(f"{Task.kind}://{task_id}" for task_id in task.blocks))
    return ctx.commit(*with_dependents(ctx, task), answer=_answer(ctx, task), seen=about)


def _answer(ctx: Context, task: Task) -> Reopened:
    """How it is now, and what happens next."""
    if task.awaits:
        said = TO_MERGE
    elif task.waiting:
        said = "it is in the queue once the tasks it waits for are done"
    else:
        said = "it is in the queue: task_next hands it out, worker_run starts a worker on it"
    if task.status == FAILED:
        said += "; it is called failed until somebody begins"
    return {**task_row(ctx, task), "hint": said}
