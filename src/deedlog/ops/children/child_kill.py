from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_stopping import KILL, Stopped, stop


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits=True,
    examples=("deedlog child kill session-12",),
)
def child_kill(
    ctx: Context,
    *,
    child_id: ChildId,
    reason: Annotated[str | None, Field("Why, for the log", max_length=500)] = None,
) -> Stopped:
    """End a child at once, with all its processes. Its work tree stays."""
    answer: Stopped = stop(ctx, child_id, KILL, reason, 0)
    return answer
