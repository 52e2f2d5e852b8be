from __future__ import annotations

import time
from typing import Annotated, TypedDict

from deedlog.core.run import Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.waiting import LOOK_SECONDS

DECIDED = "plan_advance"  # what its driver wrote itself is no news to it
MOST_EVENTS = 500


class News(TypedDict):
    seq: int


@operation(Effect.READ, capability="supervision", settles=True, waits=True)
def plan_news(
    ctx: Context,
    *,
    run_id: Annotated[str, Field("Run ID", max_length=80)],
    after: Annotated[int, Field("What was seen", minimum=0)],
    seconds: Annotated[float, Field("Wait at most this long", minimum=0, maximum=600)],
) -> News:
    """Wait until something happened that may change what comes next in a run."""
    run = ctx.ledger.get(Run, run_id)
    subject = f"workflow://{run.workflow_id}" if run.workflow_id else run.uri
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        query = EventQuery(after=after, subject=subject, limit=MOST_EVENTS)
        found = ctx.ledger.next_events(query, max(0.0, min(left, LOOK_SECONDS)), ctx.peer.cancelled)
        after = found[-1].seq if found else after
        if any(event.operation != DECIDED for event in found) or left <= 0 or ctx.peer.cancelled():
            return {"seq": after}
        if not found:
            ctx.settle()
