"""Following a run: waiting until it is over, or until something happens that may change what comes next in it."""

from __future__ import annotations

import time

from deedlog.core.run import PAUSED, Node, Run
from deedlog.ports import EventQuery
from deedlog.work.forsaken import is_forsaken
from deedlog.work.runs import is_over, nodes_of
from deedlog.work.waiting import LOOK_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.ports import Context

DECIDED = "plan_advance"  # what its driver wrote itself is no news to it
MOST_EVENTS = 500


def followed(ctx: Context, run_id: str, seconds: float, told: Callable[[list[Node]], None]) -> tuple[Run, list[Node]]:
    """A run with its nodes, once it is over or paused, the time is over or the caller gave up; `told` hears of news."""
    end = time.monotonic() + seconds
    watch = ctx.ledger.watch()
    try:
        while True:
            run = ctx.ledger.get(Run, run_id)
            nodes = nodes_of(ctx, run)
            told(nodes)
            left = end - time.monotonic()
            is_at_rest = is_over(run) or run.state == PAUSED or is_forsaken(ctx, run)
            if is_at_rest or left <= 0 or ctx.peer.cancelled():
                return run, nodes
            if not watch.wait(min(left, LOOK_SECONDS)):
                ctx.settle()
    finally:
        watch.close()


def news(ctx: Context, run: Run, after: int, seconds: float) -> int:
    """The last event that was looked at, as soon as one is not its driver's own. The dead are looked after."""
    subject = f"workflow://{run.workflow_id}" if run.workflow_id else run.uri
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        query = EventQuery(after=after, subject=subject, limit=MOST_EVENTS)
        found = ctx.ledger.next_events(query, max(0.0, min(left, LOOK_SECONDS)), ctx.peer.cancelled)
        after = found[-1].seq if found else after
        if any(event.operation != DECIDED for event in found) or left <= 0 or ctx.peer.cancelled():
            return after
        if not found:
            ctx.settle()
