from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.blackboard import swept
from deedlog.work.lookup import repeated


class Swept(TypedDict):
    count: int


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, only_changes=True)
def bb_sweep(ctx: Context) -> Swept:
    """Remove entries of the blackboard that expired, and so tell watchers."""

    def attempt() -> Swept:
        gone = swept(ctx)
        answer: Swept = {"count": len(gone)}
        return ctx.commit(*gone, answer=answer) if gone else answer

    return repeated(attempt)
