from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.ending import CRASH, Told, error_of
from deedlog.core.task import FAILED, QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.ending import Ending, conclude
from deedlog.work.lookup import repeated

DIED = "its supervisor died"


class Settled(TypedDict):
    sessionId: int
    status: str


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, camel=True, only_changes=True)
def worker_settle(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
    force: Annotated[bool, Field("Its machine is gone")] = False,
) -> Settled:
    """End the processes a dead supervisor left, then its session; the work tree stays.

    worker_dispatch comes next, and lets go of the traces.
    """
    ctx.workers.reap(session_id)
    session = ctx.ledger.find_one(Session, str(session_id))
    if session is None:
        return {"sessionId": session_id, "status": "unknown"}
    if not ctx.workers.is_lost(session.host, session.process, force=force):
        return {"sessionId": session_id, "status": session.status}
    if session.status == QUEUED:
        return repeated(lambda: _out_of_queue(ctx, session.id))
    if session.status != RUNNING:
        return {"sessionId": session_id, "status": session.status}
    return conclude(ctx, session.id, Told(reason=CRASH, message=DIED), answer=_answer)


def _out_of_queue(ctx: Context, session_id: str) -> Settled:
    """It waits on a machine that is gone."""
    seen = ctx.ledger.head()
    session = ctx.ledger.get(Session, session_id)
    if session.status != QUEUED:
        return {"sessionId": session.number, "status": session.status}
    task = ctx.ledger.get(Task, session.task_id)
    error = error_of(Told(reason=CRASH, message="its machine is gone"))
    ended = session.replace(status=FAILED, ended_at=ctx.now, end_snapshot_at=ctx.now, error=error)
    answer: Settled = {"sessionId": ended.number, "status": ended.status}
    return ctx.commit(ended, *with_sessions(ctx, task, ended), answer=answer, seen=resting_on(task, seen))


def _answer(_task: Task, ending: Ending) -> Settled:
    return {"sessionId": ending.session.number, "status": ending.session.status}
