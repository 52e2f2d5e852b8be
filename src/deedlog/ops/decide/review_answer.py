from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.moment import iso
from deedlog.core.remark import ANSWERED, Review, close
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated


class Answered(TypedDict):
    review_id: str
    status: str
    verdict: str
    note: str
    reviewed_by: str
    reviewed_at: str


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    people=True,
    examples=("deedlog review answer rev-1j9x2k3m4n5p6q7r 'Use SQLite'",),
)
def review_answer(
    ctx: Context,
    *,
    review_id: Annotated[str, Field("The review's id, as review_list shows it", min_length=1, max_length=80)],
    text: Annotated[str, Field("The answer", min_length=1, max_length=5_000)],
) -> Answered:
    """Answer a question, or any other review, with text.

    The agent that asked reads the answer with question_get. The next worker on the task finds it in its prompt.
    """
    return repeated(lambda: _answer(ctx, review_id, text))


def _answer(ctx: Context, review_id: str, text: str) -> Answered:
    before = ctx.ledger.get(Review, review_id)
    after = close(before, ANSWERED, text, by=ctx.actor, now=ctx.now)
    answer: Answered = {
        "review_id": after.id,
        "status": after.status,
        "verdict": after.verdict,
        "note": after.note,
        "reviewed_by": after.reviewed_by,
        "reviewed_at": iso(after.reviewed_at or ctx.now),
    }
    return ctx.commit(*([] if after == before else [after]), answer=answer)
