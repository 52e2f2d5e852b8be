from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core import page, stigmergy
from deedlog.core.blackboard import Mark
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Gone
from deedlog.work.blackboard import MOST_TTL_MS
from deedlog.work.board_rows import Change
from deedlog.work.lookup import every, repeated
from deedlog.work.marks import change


class Decayed(TypedDict):
    op_id: str
    half_life_ms: int
    faded: int
    changes: list[Change]


@operation(Effect.WRITE, capability="stigmergy", callers=ANYONE, examples=("deedlog stig decay --half-life-ms 60000",))
def stig_decay(
    ctx: Context,
    *,
    half_life_ms: Annotated[
        int | None, Field("Half-life; the project's own if left out", minimum=1, maximum=MOST_TTL_MS)
    ] = None,
) -> Decayed:
    """Change how fast marks fade, and remove those that have.

    Marks fade by themselves whenever they are read. This half-life counts since each was made, and from now on.
    """
    given = half_life_ms or max(1, ctx.settings["stig_half_life_ms"])

    def attempt() -> Decayed:
        marks = {mark.id: _decayed(mark, given, ctx.now) for mark in every(ctx.ledger, Mark, {})}
        kept = {mark.id: mark for mark in marks.values() if mark.intensity}
        gone = [Gone(entity=mark) for mark in marks.values() if not mark.intensity]
        rows = page.fitting([change(ctx, mark, marks) for mark in kept.values()])
        answer: Decayed = {
            "op_id": ctx.op_id,
            "half_life_ms": given,
            "faded": len(gone),
            "changes": rows,  # type: ignore[typeddict-item]
        }
        return ctx.commit(*kept.values(), *gone, answer=answer)

    return repeated(attempt)


def _decayed(mark: Mark, half_life_ms: int, now: int) -> Mark:
    left = stigmergy.faded(mark.intensity, now - mark.updated_at, half_life_ms)
    return mark.replace(intensity=left, updated_at=now, half_life_ms=half_life_ms)
