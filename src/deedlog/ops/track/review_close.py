from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from deedlog.core.moment import iso
from deedlog.core.remark import Review, close
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Closed(TypedDict):
    review_id: str
    status: str
    verdict: str
    reviewed_by: str
    reviewed_at: str


@operation(
    Effect.WRITE,
    capability="tracking",
    further=True,
    examples=("deedlog review close rev-1j9x2k3m4n5p6q7r approved --note 'utils.ts had to change'",),
)
def review_close(
    ctx: Context,
    *,
    review_id: Annotated[str, Field("The review's id, as review_list shows it", min_length=1, max_length=80)],
    verdict: Annotated[Literal["approved", "sent_back", "noted"], Field("What the person decided")],
    note: Annotated[str, Field("What to remember about it", max_length=5_000)] = "",
) -> Closed:
    """Record a person's answer to a review. Agents pass on what they were told; they never decide it."""
    before = ctx.ledger.get(Review, review_id)
    review = close(before, verdict, note, by=ctx.actor, now=ctx.now)
    answer: Closed = {
        "review_id": review.id,
        "status": review.status,
        "verdict": review.verdict,
        "reviewed_by": review.reviewed_by,
        "reviewed_at": iso(review.reviewed_at or ctx.now),
    }
    return ctx.commit(*([] if review == before else [review]), answer=answer)
