from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.ending import CRASH, Told
from deedlog.core.task import RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.ending import Ending, conclude


class Settled(TypedDict):
    sessionId: int
    status: str


@operation(Effect.DESTROY, capability="supervision", camel=True, only_changes=True)
def worker_settle(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
) -> Settled:
    """End the processes a dead supervisor left, then its session; the work tree stays.

    worker_dispatch comes next, and lets go of the traces.
    """
    ctx.workers.reap(session_id)
    session = ctx.ledger.find_one(Session, str(session_id))
    if session is None:
        return {"sessionId": session_id, "status": "unknown"}
    if session.status != RUNNING or not ctx.workers.is_dead(session.process):
        return {"sessionId": session_id, "status": session.status}
    return conclude(ctx, session.id, Told(reason=CRASH, message="its supervisor died"), answer=_answer)


def _answer(_task: Task, ending: Ending) -> Settled:
    return {"sessionId": ending.session.number, "status": ending.session.status}
