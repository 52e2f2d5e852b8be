from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_stopping import TERM, Stopped, stop


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits=True,
    examples=("deedlog child cancel session-12 --reason 'wrong approach'",),
)
def child_cancel(
    ctx: Context,
    *,
    child_id: ChildId,
    reason: Annotated[str | None, Field("Why, for the log", max_length=500)] = None,
    timeout_ms: Annotated[int, Field("Between TERM and KILL", minimum=0, maximum=60_000)] = 5_000,
) -> Stopped:
    """Ask a child to end: TERM to all its processes, KILL after timeout_ms. Its work tree stays."""
    answer: Stopped = stop(ctx, child_id, TERM, reason, timeout_ms)
    return answer
