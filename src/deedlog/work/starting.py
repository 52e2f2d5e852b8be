"""Whether work on a task can start now, and what to tell about what runs beside it."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.moment import iso
from deedlog.core.overlap import overlap
from deedlog.core.queue import check_epoch, is_held
from deedlog.core.task import CANCELLED, DONE, QUEUED, RUNNING, Session, Task
from deedlog.ports import EventQuery
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from deedlog.ports import Context

MOST_NAMED = 5


def refuse_unready(ctx: Context, task: Task, *, group: str, epoch: int | None = None) -> None:
    """Refuse work on a task that is over, waits for others, is held by somebody else or is being worked on."""
    if task.status in (CANCELLED, DONE):
        left = "a person can send it back (task_send_back), or create a task for what is left to do"
        hint = "task_reopen takes it up again" if task.status == CANCELLED else left
        raise Conflict(f"{task.ref} is {task.status}", hint=hint, data=_named(task))
    check_epoch(task, epoch)
    if epoch is None and is_held(task, ctx.now) and task.holder != ctx.actor:
        raise Conflict(
            f"{task.ref} is claimed by {task.holder} until {iso(task.lease_until)}",
            hint="task_next hands out another task",
            data=_named(task),
        )
    if task.waiting:
        _refuse_waiting(ctx, task)
    for session in at_work(ctx, task):
        if not group or session.group != group:
            raise Conflict(
                f"{task.ref} already has a session that is {session.status}: session {session.number}",
                hint="wait for it, stop it, or give all attempts the same sessionGroupId",
                data=_named(task) | {"running_session_id": session.number},
            )


def at_work(ctx: Context, task: Task) -> list[Session]:
    """The sessions of a task that run or wait their turn."""
    found = (every(ctx.ledger, Session, {"task_id": task.id, "status": status}) for status in (RUNNING, QUEUED))
    return [session for sessions in found for session in sessions]


def _refuse_waiting(ctx: Context, task: Task) -> None:
    found = (ctx.ledger.find_one(Task, task_id) for task_id in task.depends_on)
    refs = [other.ref for other in found if other and other.status not in (DONE, CANCELLED)]
    raise Conflict(
        f"{task.ref} waits for {', '.join(refs[:MOST_NAMED])}",
        hint="finish them first, or remove the dependency",
        data=_named(task) | {"waiting_for": refs},
    )


def _named(task: Task) -> dict[str, object]:
    return {"task_id": task.number, "status": task.status}


def answered_before(ctx: Context, task: Task, key: str, operation: str, said: Mapping[str, object]) -> Any:
    """What the first call with this key answered; None where there was none, refused where it said something else."""
    if not key:
        return None
    found = ctx.ledger.find(Session, {"key": key}, limit=1)
    if not found:
        return None
    session, fields = found[0], found[0].fields()
    made = ctx.ledger.events(EventQuery(subject=session.uri, limit=1))
    differs = [name for name, value in said.items() if value is not None and fields[name] != value]
    if session.task_id != task.id or differs or not made or made[0].operation != operation:
        raise Conflict(
            f"idempotencyKey {key[:80]!r} was used for session {session.number}, in another way",
            hint="repeat a call with the same arguments, or use a new key",
            data={"session_id": session.number},
        )
    return ctx.ledger.op(made[0].op_id).answer


def refuse_used(ctx: Context, key: str) -> None:
    """Refuse to commit under a key that another call has used meanwhile; `answered_before` tells what came of that."""
    if key and ctx.ledger.find(Session, {"key": key}, limit=1):
        raise Conflict(f"idempotencyKey {key[:80]!r} was used by another call", hint="repeat the call")


def overlaps(ctx: Context, task: Task, scope: Mapping[str, Sequence[str]]) -> list[str]:
    """What to tell about other workers that may write the same files."""
    told = []
    for status in (RUNNING, QUEUED):
        for other in every(ctx.ledger, Session, {"status": status}):
            if other.task_id == task.id or not other.worktree:
                continue
            if shared := overlap(scope, other.scope):
                beside = ctx.ledger.get(Task, other.task_id)
                told.append(f"{beside.ref} is {status} too and may write the same files: {', '.join(shared)}")
    return told[:MOST_NAMED]
