from __future__ import annotations

from typing import TypedDict

from deedlog.core.task import RUNNING, Session
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.slots import Slots


class Dispatched(TypedDict):
    started: list[int]


@operation(Effect.DESTROY, capability="supervision", camel=True, only_changes=True)
def worker_dispatch(ctx: Context) -> Dispatched:
    """Start workers that wait in the queue of this machine, as far as they may run at once.

    Only then the traces of dead supervisors are let go: until then somebody will come here again.
    """
    slots = Slots(ctx)

    def attempt() -> Dispatched:
        seen = slots.seen()
        starting = slots.filled()
        answer: Dispatched = {"started": [session.number for session in starting]}
        return ctx.commit(*starting, answer=answer, seen=seen) if starting else answer

    lost = ctx.workers.lost()
    try:
        answer = repeated(attempt)
    finally:
        slots.go()
    for number in lost:
        if not _still_runs(ctx, number):
            ctx.workers.settled(number)
    return answer


def _still_runs(ctx: Context, number: int) -> bool:
    session = ctx.ledger.find_one(Session, str(number))
    return session is not None and session.status == RUNNING and ctx.workers.is_dead(session.process)
