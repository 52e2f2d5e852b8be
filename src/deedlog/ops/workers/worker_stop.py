from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.ending import STOPPED, Told
from deedlog.core.errors import Conflict
from deedlog.core.task import CANCELLED, QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.choosing import of_task, one_named, only_one
from deedlog.work.ending import conclude
from deedlog.work.lookup import repeated
from deedlog.work.waiting import is_over, wait_for
from deedlog.work.worker_rows import AT_WORK, worker_row

GRACE_SECONDS = 30.0  # TERM, KILL after five seconds, and what then has to be written down


class Stopped(TypedDict):
    sessionId: int
    taskId: int
    title: str
    agent: str
    status: str
    startedAt: str
    seconds: int
    worktree: NotRequired[str]
    branch: NotRequired[str]
    sessionGroupId: NotRequired[str]
    pid: NotRequired[int]
    lastLine: NotRequired[str]
    usage: NotRequired[dict[str, float]]
    exitCode: NotRequired[int]
    signal: NotRequired[str]
    dodResult: NotRequired[str]
    awaits: NotRequired[str]
    error: NotRequired[dict[str, Any]]
    violations: NotRequired[list[dict[str, Any]]]
    filesChanged: NotRequired[int]


@operation(
    Effect.DESTROY,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    waits=True,
    only_changes=True,
    examples=("deedlog worker stop task-5", "deedlog worker stop session-12 --reason 'wrong approach'"),
)
def worker_stop(
    ctx: Context,
    *,
    task_id: Annotated[int | None, Field("Task ID", minimum=1)] = None,
    session_id: Annotated[int | None, Field("Or one of its sessions", minimum=1)] = None,
    reason: Annotated[str | None, Field("Why, for the log", max_length=500)] = None,
    force: Annotated[bool, Field("Its machine is gone", person=True)] = False,
) -> Stopped:
    """Stop a worker: TERM, then KILL of its whole process group. Its work tree stays as it is.

    A queued one leaves the queue; one that you run yourself is only recorded as stopped.
    """
    session = _chosen(ctx, session_id, task_id)
    message = reason or f"it was stopped by {ctx.actor}"
    if is_over(session):
        raise Conflict(
            f"session {session.number} is {session.status}: there is nothing to stop",
            hint="worker_done merges or discards its work",
            data={"session_id": session.number, "status": session.status},
        )
    if session.status == QUEUED:
        return repeated(lambda: _leave_queue(ctx, session.id, message))
    if not session.process or ctx.workers.is_lost(session.host, session.process, force=force):
        return conclude(
            ctx, session.id, Told(reason=STOPPED, message=message), answer=lambda _t, e: _answer(ctx, e.session)
        )
    return _stop(ctx, session, message)


def _chosen(ctx: Context, session_id: int | None, task_id: int | None) -> Session:
    if session_id is not None:
        return one_named(ctx, session_id, task_id)
    return only_one(*of_task(ctx, task_id, AT_WORK), missing="worker that runs")


def _leave_queue(ctx: Context, session_id: str, message: str) -> Stopped:
    seen = ctx.ledger.head()
    session = ctx.ledger.get(Session, session_id)
    if session.status == RUNNING:
        return _stop(ctx, session, message)
    if is_over(session):
        return _answer(ctx, session)
    task = ctx.ledger.get(Task, session.task_id)
    error = {"type": "unknown", "message": message, "reason": STOPPED}
    ended = session.replace(status=CANCELLED, ended_at=ctx.now, end_snapshot_at=ctx.now, error=error)
    answer = _answer(ctx, ended, task)
    return ctx.commit(ended, *with_sessions(ctx, task, ended), answer=answer, seen=resting_on(task, seen))


def _stop(ctx: Context, session: Session, message: str) -> Stopped:
    """Have the supervisor end it: that one records how it ended, but does not know why."""
    if session.host != ctx.workers.host:
        raise Conflict(
            f"session {session.number} runs on {session.host}",
            hint="stop it there; if that machine is gone, force ends the record of it",
            data={"session_id": session.number, "host": session.host},
        )
    ctx.workers.stop(session.process)
    ctx.peer.progress(0, 1, "waiting for it to end")
    wait_for(ctx, [session.id], GRACE_SECONDS, lambda sessions: is_over(sessions[0]), lambda _: None)
    return repeated(lambda: _with_reason(ctx, session.id, message))


def _with_reason(ctx: Context, session_id: str, message: str) -> Stopped:
    session = ctx.ledger.get(Session, session_id)
    if session.error.get("reason") != STOPPED:
        return _answer(ctx, session)
    told = session.replace(error={**session.error, "message": message})
    return ctx.commit(told, answer=_answer(ctx, told))


def _answer(ctx: Context, session: Session, task: Task | None = None) -> Stopped:
    row: Any = worker_row(ctx, session, task)
    answer: Stopped = row
    return answer
