from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.blackboard import MOST_TTL_MS
from deedlog.work.board_rows import Change, NodeId
from deedlog.work.lookup import repeated
from deedlog.work.marks import change, stronger


class Marked(Change):
    op_id: str


@operation(Effect.WRITE, capability="stigmergy", callers=ANYONE, examples=("deedlog stig mark task-5 urgent 50",))
def stig_mark(
    ctx: Context,
    *,
    node_id: NodeId,
    type: Annotated[str, Field("What the mark means", min_length=1, max_length=120)],  # noqa: A002
    intensity: Annotated[float, Field("What it adds, up to 10000", maximum=10_000)],
    half_life_ms: Annotated[
        int | None, Field("After this it is half as strong", minimum=1, maximum=MOST_TTL_MS)
    ] = None,
) -> Marked:
    """Mark a node; marks add up, fade with time, and draw workers to what is marked most."""
    said = {"node_id": node_id, "type": type, "intensity": intensity, "half_life_ms": half_life_ms}

    def attempt() -> Marked:
        mark = stronger(ctx, {}, said)
        answer: Marked = {"op_id": ctx.op_id, **change(ctx, mark, {})}  # type: ignore[typeddict-item]
        return ctx.commit(mark, answer=answer)

    return repeated(attempt)
