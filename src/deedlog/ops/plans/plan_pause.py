from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.run import PAUSED, Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.run_rows import refuse_over, snapshot


@operation(
    Effect.DESTROY,
    capability="plan-lifecycle",
    settles=True,
    only_changes=True,
    examples=("deedlog plan pause run-1j9x2k3m4n5p6q7r",),
)
def plan_pause(
    ctx: Context,
    *,
    run_id: Annotated[str, Field("Run ID", min_length=1, max_length=80)],
) -> dict[str, Any]:
    """Hold a run: nothing new starts and nothing is merged until plan_resume.

    Workers that run go on to their end.
    """

    def attempt() -> dict[str, Any]:
        run = ctx.ledger.get(Run, run_id)
        refuse_over(run, "paused")
        if run.state == PAUSED:
            return snapshot(ctx, run)
        paused = run.replace(state=PAUSED, paused_at=ctx.now, updated_at=ctx.now)
        return ctx.commit(paused, answer=snapshot(ctx, paused))

    return repeated(attempt)
