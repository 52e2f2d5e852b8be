from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.permission import REASON
from deedlog.core.remark import APPROVED, CLOSED, NOTED, Review
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Recorded(TypedDict):
    review_id: str


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL)
def approval_record(
    ctx: Context,
    *,
    by: Annotated[str, Field("The actor that asked", max_length=200)],
    question: Annotated[str, Field("The question that was shown", max_length=10_000)],
    said: Annotated[str, Field("The answer that the person chose", max_length=200)],
    verdict: Annotated[Literal["approved", "noted"], Field("Whether that allows it")],
) -> Recorded:
    """Record what a person decided in a form of their client."""
    assert verdict in (APPROVED, NOTED)
    review = Review(
        id=ctx.new_id("rev"),
        task_id="",
        actor=by,
        created_at=ctx.now,
        about="",
        reason=REASON,
        question=question,
        status=CLOSED,
        verdict=verdict,
        note=said,
        reviewed_by="the client's form",
        reviewed_at=ctx.now,
        used_at=ctx.now,
    )
    answer: Recorded = {"review_id": review.id}
    return ctx.commit(review, answer=answer)
