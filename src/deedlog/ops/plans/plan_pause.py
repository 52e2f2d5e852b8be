from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.run import PAUSED, Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.run_choosing import changed
from deedlog.work.run_rows import refuse_over, snapshot


@operation(
    Effect.DESTROY,
    capability="plan-lifecycle",
    callers=ANYONE,
    settles=True,
    only_changes=True,
    examples=("deedlog plan pause", "deedlog plan pause run-1j9x2k3m4n5p6q7r"),
)
def plan_pause(
    ctx: Context,
    *,
    run_id: Annotated[str | None, Field("Run ID (default: the only one that is not over)", max_length=80)] = None,
) -> dict[str, Any]:
    """Hold a run: nothing new starts and nothing is merged until plan_resume.

    Workers that run go on to their end.
    """
    chosen = changed(ctx, run_id)

    def attempt() -> dict[str, Any]:
        run = ctx.ledger.get(Run, chosen)
        refuse_over(run, "paused")
        if run.state == PAUSED:
            return snapshot(ctx, run)
        paused = run.replace(state=PAUSED, paused_at=ctx.now, updated_at=ctx.now)
        return ctx.commit(paused, answer=snapshot(ctx, paused))

    answer = repeated(attempt)
    answer.update(snapshot(ctx, ctx.ledger.get(Run, chosen)))  # with the event of this call
    return answer
