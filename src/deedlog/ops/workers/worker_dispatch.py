from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.errors import DeedlogError
from deedlog.core.run import Run
from deedlog.core.task import RUNNING, Session
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.runs import Drivers, needs_driver
from deedlog.work.slots import Slots


class Dispatched(TypedDict):
    started: list[int]
    driven: list[str]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, camel=True, only_changes=True)
def worker_dispatch(ctx: Context) -> Dispatched:
    """Start workers that wait in the queue of this machine, and drivers of runs that lost theirs.

    Only then the traces of dead supervisors are let go: until then somebody will come here again.
    """
    slots, drivers = Slots(ctx), Drivers(ctx)

    def attempt() -> Dispatched:
        seen = slots.seen()
        starting = slots.filled()
        runs = _taken_over(ctx, undriven, drivers)
        answer: Dispatched = {
            "started": [session.number for session in starting],
            "driven": [run.id for run in runs],
        }
        return ctx.commit(*starting, *runs, answer=answer, seen=seen) if starting or runs else answer

    lost, undriven = ctx.workers.lost(), ctx.workers.undriven()
    try:
        answer = repeated(attempt)
    finally:
        slots.go()
        drivers.go()
    for run_id in undriven:
        if not _is_undriven(ctx, ctx.ledger.find_one(Run, run_id)):
            ctx.workers.let_go(run_id)
    for number in lost:
        if not _still_runs(ctx, number):
            ctx.workers.settled(number)
    return answer


def _still_runs(ctx: Context, number: int) -> bool:
    session = ctx.ledger.find_one(Session, str(number))
    return session is not None and session.status == RUNNING and ctx.workers.is_dead(session.process)


def _taken_over(ctx: Context, run_ids: list[str], drivers: Drivers) -> list[Run]:
    """Runs whose drivers are dead, each with a new one; where none can be started, the next call tries again."""
    found = [ctx.ledger.find_one(Run, run_id) for run_id in run_ids]
    driven = []
    for run in found:
        if run is not None and _is_undriven(ctx, run):
            try:
                driven.append(drivers.driven(run))
            except DeedlogError:
                continue
    return driven


def _is_undriven(ctx: Context, run: Run | None) -> bool:
    return run is not None and needs_driver(run) and run.host == ctx.workers.host and ctx.workers.is_dead(run.process)
