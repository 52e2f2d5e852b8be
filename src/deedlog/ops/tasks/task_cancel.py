from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.queue import check_epoch, is_ready, released
from deedlog.core.task import CANCELLED, DONE, QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_dependents
from deedlog.work.lookup import refuse_open, repeated, unfinished_tasks
from deedlog.work.task_inputs import Epoch, TaskId


class Cancelled(TypedDict):
    id: int
    status: str
    reason: NotRequired[str]
    unblocked: NotRequired[list[int]]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    examples=("deedlog task cancel 5 --reason 'The feature was dropped'",),
)
def task_cancel(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    reason: Annotated[str, Field("Why", max_length=2_000)] = "",
    epoch: Epoch = None,
) -> Cancelled:
    """Cancel a task that will not be done; it blocks others no longer."""
    return repeated(lambda: _cancel(ctx, id, reason, epoch))


def _cancel(ctx: Context, number: int, reason: str, epoch: int | None) -> Cancelled:
    seen = ctx.ledger.head()
    before = ctx.ledger.get(Task, str(number))
    check_epoch(before, epoch)
    if before.status == CANCELLED:
        return _answer(before, [])
    _refuse(ctx, before)
    task = released(
        before.replace(status=CANCELLED, awaits="", cancelled=True, cancel_reason=reason, updated_at=ctx.now)
    )
    values = with_dependents(ctx, task)
    unblocked = [value.number for value in values if isinstance(value, Task) and is_ready(value)]
    return ctx.commit(*values, answer=_answer(task, unblocked), seen=resting_on(task, seen, task.uri))


def _refuse(ctx: Context, task: Task) -> None:
    if task.status == DONE:
        raise Conflict(
            f"{task.ref} is done", hint="create a task for what is left to do", data={"task_id": task.number}
        )
    for status, way_out in (
        (RUNNING, "worker_stop stops a worker; session_end or complete_task ends another session"),
        (QUEUED, "worker_stop takes it out of the queue"),
    ):
        if found := ctx.ledger.find(Session, {"task_id": task.id, "status": status}, limit=1):
            raise Conflict(
                f"{task.ref} cannot be cancelled: {found[0].ref} of it is {status}",
                hint=way_out,
                data={"task_id": task.number, "session_id": found[0].number},
            )
    refuse_open(unfinished_tasks(ctx.ledger, {"parent_id": task.id}), f"{task.ref} has open subtasks")


def _answer(task: Task, unblocked: list[int]) -> Cancelled:
    answer: Cancelled = {"id": task.number, "status": task.status}
    if task.cancel_reason:
        answer["reason"] = task.cancel_reason
    if unblocked:
        answer["unblocked"] = unblocked
    return answer
