from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Denied
from deedlog.core.memory import Memory
from deedlog.core.moment import iso
from deedlog.core.permission import REASON as PERMISSION
from deedlog.core.remark import APPROVED, COMMENTED, OPEN, SENT_BACK, Review, close, resolved
from deedlog.core.task import Session, Task
from deedlog.core.value import Entity
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.commenting import open_comments
from deedlog.work.lookup import repeated
from deedlog.work.memory_bank import export
from deedlog.work.memory_drafts import activated

SESSION = f"{Session.kind}://"


class Closed(TypedDict):
    review_id: str
    status: str
    verdict: str
    reviewed_by: str
    reviewed_at: str


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    further=True,
    settles=True,
    examples=("deedlog review close rev-1j9x2k3m4n5p6q7r approved --note 'utils.ts had to change'",),
)
def review_close(
    ctx: Context,
    *,
    review_id: Annotated[str, Field("The review's id, as review_list shows it", min_length=1, max_length=80)],
    verdict: Annotated[
        Literal["approved", "sent_back", "noted"], Field("What the person decided; sent_back: its task is to be redone")
    ],
    note: Annotated[str, Field("What to remember about it, or what to do", max_length=5_000)] = "",
) -> Closed:
    """Record a person's answer to a review: approve it, send its task back, or note it.

    An approved permission lets the agent's call through once; an approved memory draft becomes active.
    """
    before = ctx.ledger.get(Review, review_id)
    if before.reason == PERMISSION and not ctx.is_person:
        raise Denied("only a person allows what an agent asks for", data={"review_id": before.id})
    if verdict == SENT_BACK and before.status == OPEN and ctx.ledger.find_one(Task, before.task_id):
        return _sent_back(ctx, before, note)
    return repeated(lambda: _close(ctx, review_id, verdict, note))


def _close(ctx: Context, review_id: str, verdict: str, note: str) -> Closed:
    seen = ctx.ledger.head()
    before = ctx.ledger.get(Review, review_id)
    review = close(before, verdict, note, by=ctx.actor, now=ctx.now)
    changed: list[Entity] = [] if review == before else [review, *activated(ctx, review, verdict)]
    task = ctx.ledger.find_one(Task, review.task_id)
    if changed and task and (verdict, review.reason) == (APPROVED, COMMENTED):
        changed += [resolved(one, by=ctx.actor, now=ctx.now) for one in open_comments(ctx, task)]
        return ctx.commit(*changed, answer=_answer(ctx, review), seen=Seen(subject=task.uri, seq=seen))
    answer = ctx.commit(*changed, answer=_answer(ctx, review))
    if any(isinstance(one, Memory) for one in changed):
        export(ctx)
    return answer


def _sent_back(ctx: Context, review: Review, note: str) -> Closed:
    """Its task is sent back, with the note for whoever works on it next."""
    from deedlog.work.sending_back import SentBack, send_back  # few answers are that

    def answer(_task: Task, back: SentBack) -> Closed:
        closed = next((one for one in back.reviews if one.id == review.id), None)
        if closed is None:  # another call was faster
            closed = close(ctx.ledger.get(Review, review.id), SENT_BACK, note, by=ctx.actor, now=ctx.now)
        return _answer(ctx, closed)

    session = review.about.removeprefix(SESSION) if review.about.startswith(SESSION) else None
    return send_back(ctx, review.task_id, note, [], session, answer=answer)


def _answer(ctx: Context, review: Review) -> Closed:
    return {
        "review_id": review.id,
        "status": review.status,
        "verdict": review.verdict,
        "reviewed_by": review.reviewed_by,
        "reviewed_at": iso(review.reviewed_at or ctx.now),
    }
