from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.run import Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.run_following import news


class News(TypedDict):
    seq: int


@operation(Effect.READ, capability="supervision", callers=INTERNAL, settles=True, waits=True)
def plan_news(
    ctx: Context,
    *,
    run_id: Annotated[str, Field("Run ID", max_length=80)],
    after: Annotated[int, Field("What was seen", minimum=0)],
    seconds: Annotated[float, Field("Wait at most this long", minimum=0, maximum=600)],
) -> News:
    """Wait until something happened that may change what comes next in a run."""
    return {"seq": news(ctx, ctx.ledger.get(Run, run_id), after, seconds)}
