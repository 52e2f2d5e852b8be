from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.queue import check_epoch, check_holder, is_held, released
from deedlog.core.task import QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.claiming import give_back
from deedlog.work.lookup import repeated
from deedlog.work.task_inputs import Epoch, TaskId
from deedlog.work.task_rows import Row, task_row


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    examples=("deedlog task release 5",),
)
def task_release(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    epoch: Epoch = None,
) -> Row:
    """Give a claimed task back; once its lease is over anybody may, which ends what its holder runs."""
    return repeated(lambda: _release(ctx, id, epoch))


def _release(ctx: Context, number: int, epoch: int | None) -> Row:
    before = ctx.ledger.get(Task, str(number))
    check_epoch(before, epoch)
    if is_held(before, ctx.now):
        check_holder(before, epoch, ctx.actor)
    elif before.holder:
        given = give_back(ctx, before, lambda task: task_row(ctx, task))
        if given:
            return given
    for status in (RUNNING, QUEUED):
        if found := ctx.ledger.find(Session, {"task_id": before.id, "status": status}, limit=1):
            raise Conflict(
                f"{before.ref} cannot be given back: {found[0].ref} of it is {status}",
                hint="end it first: session_end, complete_task or worker_stop",
                data={"task_id": before.number, "session_id": found[0].number},
            )
    if not before.holder:
        return task_row(ctx, before)
    task = released(before).replace(updated_at=ctx.now)
    return ctx.commit(task, answer=task_row(ctx, task))
