"""How work comes back from a person: its reviews answered, its task in the queue again, whoever is at it told."""

from __future__ import annotations

from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.queue import derived, waits_for_merge
from deedlog.core.remark import OPEN, SENT_BACK, Comment, Review, close
from deedlog.core.task import CANCELLED, MERGED, QUEUED, RUNNING, Session, Task
from deedlog.core.task import OPEN as TO_DO
from deedlog.core.value import Value
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.carrying import is_only_in_its_tree
from deedlog.work.commenting import comment, feedback_text
from deedlog.work.lookup import every, named_session, repeated
from deedlog.work.saying import inbox_of, next_message, refuse_deaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deedlog.core.team import Message
    from deedlog.core.value import Entity
    from deedlog.ports import Answer, Context
    from deedlog.work.commenting import Said

LONGEST_NOTE = 5_000


def send_back(
    ctx: Context,
    task_id: str,
    message: str,
    said: Sequence[Said],
    session_id: str | None,
    *,
    start_over: bool = False,
    answer: Callable[[Task, SentBack], Answer],
) -> Answer:
    """Send a task back; `answer` is told the task as it was, and what becomes of it."""

    def attempt() -> tuple[Answer, SentBack]:
        seen = ctx.ledger.head()
        task = ctx.ledger.get(Task, task_id)
        session = named_session(ctx.ledger, task, session_id) if session_id else None
        back = sent_back(ctx, task, message.strip(), said, session, start_over=start_over)
        about = resting_on(back.task, seen, task.uri, *back.inboxes, *(f"{Task.kind}://{one}" for one in task.blocks))
        return ctx.commit(*back.values, answer=answer(task, back), seen=about), back

    told, back = repeated(attempt)
    for session in back.told:
        ctx.workers.wake(session.process)
    told_anew(ctx, back.task, back.deaf)
    return told


class SentBack(Value):
    """All that sending a task back changes, to be committed together."""

    task: Task
    comments: list[Comment]
    reviews: list[Review]
    values: list[Entity]
    told: list[Session] = []  # noqa: RUF012  # values are never changed in place
    deaf: list[Session] = []  # noqa: RUF012  # at work, and to be told only when it asks
    inboxes: list[str] = []  # noqa: RUF012
    beside: list[Session] = []  # noqa: RUF012  # other attempts that wait to be merged all the same


def sent_back(
    ctx: Context, task: Task, message: str, said: Sequence[Said], session: Session | None, *, start_over: bool
) -> SentBack:
    """What becomes of a task that a person sends back; `session` is the attempt they looked at."""
    sessions = list(every(ctx.ledger, Session, {"task_id": task.id}))
    at_work = [one for one in sessions if one.status in (RUNNING, QUEUED)]
    _refuse(task, at_work, said_something=bool(message or said))
    about = session or next(iter(sessions), None)
    whole: list[Said] = [{"text": message}] if message else []
    comments = [comment(ctx, task, one, about, place) for place, one in enumerate([*whole, *said])]
    beside = _beside(sessions, session)
    reviews = closed_reviews(ctx, task, SENT_BACK, message, session.uri if session and beside else "")
    going = _going(sessions, at_work or beside, session)
    now = task.replace(
        sent_back=task.sent_back + 1,
        updated_at=max(ctx.now, task.updated_at),  # others may have been faster, in a call that began later
        carries="" if start_over else task.carries,
    )
    if going:
        ids = {one.id for one in going}
        chosen = "" if task.selected_session_id in ids else task.selected_session_id
        carries = "" if start_over else _carried(going, session)
        now = now.replace(selected_session_id=chosen, carries=carries, retry=False)
        going = [one.replace(sent_back=True) for one in going]
        followed = with_sessions(ctx, now, *going)
        now = next(value for value in followed if isinstance(value, Task) and value.id == task.id)
    else:
        followed = [now]
    messages, told, deaf = _said_to(ctx, at_work, comments)
    return SentBack(
        task=now,
        comments=comments,
        reviews=reviews,
        values=[*going, *followed, *comments, *reviews, *messages],
        told=told,
        deaf=deaf,
        inboxes=[inbox_of(one) for one in told],
        beside=beside,
    )


def _refuse(task: Task, at_work: list[Session], *, said_something: bool) -> None:
    if task.status == CANCELLED:
        raise Conflict(
            f"{task.ref} is cancelled: there is nothing to send back",
            hint="task_reopen takes it up again; comment_add says something to whoever works on it then",
            data={"task_id": task.ref, "status": task.status},
        )
    if not said_something and (at_work or task.status == TO_DO):
        where = "is being worked on" if at_work else "is to be done already"
        raise Conflict(
            f"{task.ref} {where}: there is nothing to send back",
            hint="give a message or comments: they reach whoever works on it",
            data={"task_id": task.ref, "status": task.status},
        )


def _beside(sessions: list[Session], named: Session | None) -> list[Session]:
    """The other attempts that wait to be merged, where one is named: what is said of it is not said of them."""
    return [one for one in sessions if named and one.id != named.id and waits_for_merge(one)]


def _going(sessions: list[Session], others: list[Session], named: Session | None) -> list[Session]:
    """The attempts whose work counts no more: all that ended, or only the one that is meant while there are others."""
    ended = [one for one in sessions if one.status not in (RUNNING, QUEUED) and not one.sent_back]
    return [one for one in ended if named and one.id == named.id] if others else ended


def _carried(going: list[Session], named: Session | None) -> str:
    """The attempt that the next one goes on from: the one that is meant, else the last that ended well, else the last.

    What was done before the last one that is merged is behind it.
    """
    if named:
        return named.id if is_only_in_its_tree(named) else ""
    merged = next((place for place, one in enumerate(going) if one.dod_result == MERGED), len(going))
    kept = [one for one in going[:merged] if is_only_in_its_tree(one)]
    return next((one.id for one in [*filter(waits_for_merge, kept), *kept]), "")


def closed_reviews(ctx: Context, task: Task, verdict: str, note: str, about: str = "") -> list[Review]:
    """The open reviews of a task, answered; only those about one thing where it is named."""
    found = every(ctx.ledger, Review, {"task_id": task.id, "status": OPEN})
    chosen = [one for one in found if not about or one.about == about]
    return [close(one, verdict, note[:LONGEST_NOTE], by=ctx.actor, now=ctx.now) for one in chosen]


def _said_to(
    ctx: Context, at_work: list[Session], comments: list[Comment]
) -> tuple[list[Message], list[Session], list[Session]]:
    """What is said to those who listen while they work."""
    rows = [
        {"text": one.text, "path": one.path, **({"line": one.line, "side": one.side} if one.line else {})}
        for one in comments
    ]
    text = f"A person looked at your work and says:\n{feedback_text(rows)}\n"
    messages, told, deaf = [], [], []
    for session in at_work:
        try:
            refuse_deaf(session)
            messages.append(next_message(ctx, session, text, closes=False))
            told.append(session)
        except DeedlogError:
            deaf.append(session)
    return messages, told, deaf


def told_anew(ctx: Context, task: Task, sessions: Sequence[Session]) -> None:
    """Write the prompts of workers that wait their turn anew, where their trees are; who began has read it."""
    from deedlog.work.preparing import put_back  # few are sent back then

    for session in sessions:
        if session.status == QUEUED and session.worktree:
            try:
                put_back(ctx, task, session)
            except DeedlogError:
                continue  # it is on another machine


def is_waiting_for_work(task: Task, sessions: Sequence[Session]) -> bool:
    """Whether a person sent it back and nobody has worked on it since."""
    return bool(task.sent_back) and bool(sessions) and derived(task, sessions).status == TO_DO
