from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.moment import SECOND, iso
from deedlog.core.queue import check_holder
from deedlog.core.task import RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.commenting import feedback
from deedlog.work.lookup import repeated
from deedlog.work.task_inputs import Epoch, TaskId


class Held(TypedDict):
    id: int
    epoch: int
    leaseUntil: NotRequired[str]
    feedback: NotRequired[Any]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    only_changes=True,
    examples=("deedlog task heartbeat 5",),
)
def task_heartbeat(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    epoch: Epoch = None,
    lease_seconds: Annotated[
        int | None,
        Field("How long from now", minimum=1, maximum=86_400),
    ] = None,
) -> Held:
    """Extend the lease of a claimed task; if refused, stop working on it.

    A worker needs no lease while its supervisor runs: the answer has no leaseUntil then.
    """
    return repeated(lambda: _extend(ctx, id, epoch, lease_seconds or ctx.settings["lease"]))


def _extend(ctx: Context, number: int, epoch: int | None, seconds: int) -> Held:
    task = ctx.ledger.get(Task, str(number))
    check_holder(task, epoch, ctx.actor)
    if not task.holder and not _is_supervised(ctx, task):
        raise Conflict(
            f"{task.ref} is {task.status} and claimed by nobody",
            hint="task_next claims a task",
            data={"task_id": task.number, "status": task.status},
        )
    answer: Held = {"id": task.number, "epoch": task.epoch}
    if comments := feedback(ctx, task):
        answer["feedback"] = comments
    if not task.holder:
        return answer
    task = task.replace(lease_until=ctx.now + seconds * SECOND)
    answer["leaseUntil"] = iso(task.lease_until)
    return ctx.commit(task, answer=answer)


def _is_supervised(ctx: Context, task: Task) -> bool:
    return any(one.process for one in ctx.ledger.find(Session, {"task_id": task.id, "status": RUNNING}, limit=10))
