"""Ending a child because somebody wants it: the wish is committed, so that its supervisor finds it in any case."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.child import is_over
from deedlog.core.ending import STOPPED
from deedlog.core.errors import Conflict
from deedlog.core.task import CANCELLED, QUEUED, Session, Task
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.child_rows import child_row, ended_row, find_child
from deedlog.work.lookup import repeated
from deedlog.work.waiting import wait_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.ports import Context

    Json = dict[str, Any]

TERM, KILL = "term", "kill"
RECORDING = 30.0  # seconds in which what became of it is written down
OVERDUE = 5.0


class Stopped(TypedDict):
    child_id: str
    state: str
    runtime_status: str
    workdir: str
    exit: NotRequired[dict[str, Any]]
    op_id: str


def stop(ctx: Context, child_id: str, how: str, reason: str | None, grace_ms: int) -> Any:
    """The answer about a child that was told to end, as it is once it has."""
    why = reason or f"it was stopped by {ctx.actor}"
    answer = repeated(lambda: _wish(ctx, child_id, how, why, grace_ms))
    session = find_child(ctx, child_id)
    if not is_over(session):
        ctx.workers.wake(session.process)
        ctx.peer.progress(0, 1, "waiting for it to end")
        session = _ended(ctx, session, grace_ms / 1_000 + OVERDUE)
    if not is_over(session):
        ctx.workers.stop(session.process)  # it should have read by now what is wanted of it
        session = _ended(ctx, session, RECORDING)
    answer |= _row(ctx, session)
    return answer


def _ended(ctx: Context, session: Session, seconds: float) -> Session:
    return wait_for(ctx, [session.id], seconds, lambda found: is_over(found[0]), lambda _: None)[0]


def _wish(ctx: Context, child_id: str, how: str, reason: str, grace_ms: int) -> Json:
    seen = ctx.ledger.head()
    session = find_child(ctx, child_id)
    if is_over(session):
        raise Conflict(
            f"{session.ref} is {session.status}: there is nothing to stop",
            hint="child_collect tells how it ended",
            data={"child_id": session.ref, "status": session.status},
        )
    stop = {"how": how, "reason": reason, "graceMs": grace_ms}
    if session.status != QUEUED:
        told = session.replace(stop=stop)
        return ctx.commit(told, answer=_row(ctx, told) | {"op_id": ctx.op_id})
    task = ctx.ledger.get(Task, session.task_id)
    error = {"type": "unknown", "message": reason, "reason": STOPPED}
    ended = session.replace(status=CANCELLED, ended_at=ctx.now, end_snapshot_at=ctx.now, error=error, stop=stop)
    answer = _row(ctx, ended) | {"op_id": ctx.op_id}
    return ctx.commit(ended, *with_sessions(ctx, task, ended), answer=answer, seen=resting_on(task, seen))


def _row(ctx: Context, session: Session) -> Json:
    row = {**child_row(ctx, session), "exit": ended_row(session)}
    wanted = ("child_id", "state", "runtime_status", "workdir", "exit")
    return {name: row[name] for name in wanted if row[name] != {}}
