from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Conflict
from deedlog.core.queue import OVER
from deedlog.core.remark import APPROVED, resolved
from deedlog.core.task import COMPLETED, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.commenting import open_comments
from deedlog.work.lookup import every, named_session, repeated
from deedlog.work.sending_back import closed_reviews, is_waiting_for_work
from deedlog.work.task_rows import TO_MERGE
from deedlog.work.worker_rows import AT_WORK


class Approved(TypedDict):
    task_id: str
    status: str
    reviews_closed: int
    comments_resolved: int
    hint: NotRequired[str]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    people=True,
    examples=("deedlog task approve task-5", "deedlog task approve task-5 --note 'utils.ts had to change'"),
)
def task_approve(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    note: Annotated[str, Field("What to remember about it", max_length=5_000)] = "",
    session_id: Annotated[str | None, Field("Only this attempt", max_length=80)] = None,
) -> Approved:
    """Approve the work on a task: its open reviews are closed, its open comments resolved."""
    return repeated(lambda: _approve(ctx, task_id, note, session_id))


def _approve(ctx: Context, task_id: str, note: str, session_id: str | None) -> Approved:
    seen = ctx.ledger.head()
    task = ctx.ledger.get(Task, task_id)
    session = named_session(ctx.ledger, task, session_id) if session_id else None
    sessions = list(every(ctx.ledger, Session, {"task_id": task.id}))
    _refuse_sent_back(task, sessions)
    _refuse_unfinished(task, [session] if session else sessions)
    reviews = closed_reviews(ctx, task, APPROVED, note, session.uri if session else "")
    about = {one.id for one in sessions if one.status not in AT_WORK} | {""} if session is None else {session.id}
    said = [one for one in open_comments(ctx, task) if one.session_id in about]
    settled = [resolved(one, by=ctx.actor, now=ctx.now) for one in said]
    answer: Approved = {
        "task_id": task.ref,
        "status": task.status,
        "reviews_closed": len(reviews),
        "comments_resolved": len(settled),
    }
    if task.awaits:
        answer["hint"] = TO_MERGE
    return ctx.commit(*reviews, *settled, answer=answer, seen=Seen(subject=task.uri, seq=seen))


def _refuse_unfinished(task: Task, sessions: list[Session]) -> None:
    """What is being done, or not begun, cannot be right already; what people said is for whoever does it."""
    at_work = [one.ref for one in sessions if one.status in AT_WORK]
    ended = [one for one in sessions if one.status not in AT_WORK and not one.sent_back]
    looked_at = [one for one in ended if one.status == COMPLETED] if at_work else ended
    if looked_at or (not sessions and task.status in OVER):
        return
    why = f"{', '.join(at_work)} is still at work on it" if at_work else "nobody has worked on it"
    raise Conflict(
        f"{task.ref} cannot be approved yet: {why}",
        hint="review_close answers a question about it, comment_resolve settles a comment",
        data={"task_id": task.ref, "status": task.status},
    )


def _refuse_sent_back(task: Task, sessions: list[Session]) -> None:
    """What somebody sent back meanwhile is not approved by who did not see that."""
    if is_waiting_for_work(task, sessions):
        raise Conflict(
            f"{task.ref} was sent back, and nobody has worked on it since",
            hint="comment_list shows why; undo sending it back, or wait for the next attempt",
            data={"task_id": task.ref, "status": task.status},
        )
