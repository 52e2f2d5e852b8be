from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.run import PAUSED, RUNNING, Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.forsaken import given_up_with_their_machine, is_lost
from deedlog.work.lookup import repeated
from deedlog.work.run_choosing import changed
from deedlog.work.run_rows import refuse_over, snapshot
from deedlog.work.runs import Drivers


@operation(
    Effect.DESTROY,
    capability="plan-lifecycle",
    callers=ANYONE,
    settles=True,
    waits=True,
    only_changes=True,
    examples=("deedlog plan resume", "deedlog plan resume run-1j9x2k3m4n5p6q7r"),
)
def plan_resume(
    ctx: Context,
    *,
    run_id: Annotated[str | None, Field("Run ID (default: the only one that is not over)", max_length=80)] = None,
    force: Annotated[bool, Field("Drive it from here although its driver seems to live", person=True)] = False,
) -> dict[str, Any]:
    """Go on with a paused run, or with one that nobody drives. One that runs goes on as it is."""
    drivers, chosen = Drivers(ctx), changed(ctx, run_id)
    if force:
        for session in given_up_with_their_machine(ctx, ctx.ledger.get(Run, chosen)):
            ctx.aside("worker_settle", {"sessionId": session.number, "force": True})

    def attempt() -> dict[str, Any]:
        run = ctx.ledger.get(Run, chosen)
        refuse_over(run, "resumed")
        if run.state == RUNNING and not force and not is_lost(ctx, run):
            return snapshot(ctx, run)
        refuse_elsewhere(ctx, run, force=force)
        resumed = drivers.driven(run.replace(state=RUNNING, paused_at=None, updated_at=ctx.now))
        return ctx.commit(resumed, answer=snapshot(ctx, resumed))

    try:
        answer = repeated(attempt)
    finally:
        drivers.go()
    answer.update(snapshot(ctx, ctx.ledger.get(Run, chosen)))  # with the event of this call
    return answer


def refuse_elsewhere(ctx: Context, run: Run, *, force: bool) -> None:
    """Its work trees are on the machine where it ran."""
    if run.state == PAUSED and run.host != ctx.workers.host and not force:
        raise Conflict(
            f"{run.id} ran on {run.host}",
            hint="resume it there; if that machine is gone, force goes on here",
            data={"run_id": run.id, "host": run.host},
        )
