"""What several operations of the tracker ask of the ledger: tasks, their sessions, who works beside whom."""

from __future__ import annotations

import os
import time

from deedlog.core.attribution import overlaps
from deedlog.core.errors import Conflict, Invalid, Overtaken
from deedlog.core.moment import SECOND, iso
from deedlog.core.remark import OPEN as COMMENT_OPEN
from deedlog.core.remark import Comment, Review
from deedlog.core.task import IN_PROGRESS, OPEN, QUEUED, RUNNING, Session, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deedlog.core.page import Key
    from deedlog.core.remark import Remark
    from deedlog.ports import Answer, Context, Ledger, Stored

PAGE = 200
SLOWEST_START = 600 * SECOND  # from the call that starts a session until others can see it
TRIES = 100
SHORTEST_WAIT, LONGEST_WAIT = 0.002, 0.2  # seconds
MOST_QUESTION = 2_000
MOST_PATHS = 50


def every(
    ledger: Ledger,
    entity: type[Stored],
    where: Mapping[str, object],
    *,
    oldest: bool = False,
    before: Key | None = None,
) -> Iterator[Stored]:
    """All things whose columns equal `where`, however many there are, from `before` on."""
    found = ledger.find(entity, where, limit=PAGE, before=before, oldest=oldest)
    while found:
        yield from found
        if len(found) < PAGE:
            return
        found = ledger.find(entity, where, limit=PAGE, before=ledger.sort_key(found[-1]), oldest=oldest)


def repeated(attempt: Callable[[], Answer]) -> Answer:
    """What an attempt returns; it is made anew while others get ahead of what it commits."""
    for lost in range(TRIES):
        try:
            return attempt()
        except Overtaken:
            _step_aside(lost)
    return attempt()


def _step_aside(lost: int) -> None:
    """Wait by chance, longer the more often others were faster: many who try at once would go on overtaking each other.

    Not at first: mostly there was only one.
    """
    if lost:
        longest = min(SHORTEST_WAIT * 2**lost, LONGEST_WAIT)
        time.sleep(longest * os.urandom(1)[0] / 255)


def last_session(ledger: Ledger, task: Task) -> Session | None:
    found = ledger.find(Session, {"task_id": task.id}, limit=1)
    return found[0] if found else None


def session_meant(ledger: Ledger, task: Task, session_id: str | None) -> Session:
    """The session of a task whose changes are asked for: the named one, one at work, the selected, the last to end."""
    if session_id:
        return _one_of(ledger, task, session_id)
    if at_work := ledger.find(Session, {"task_id": task.id, "status": RUNNING}, limit=1):
        return at_work[0]
    if task.selected_session_id and (selected := ledger.find_one(Session, task.selected_session_id)):
        return selected
    for session in every(ledger, Session, {"task_id": task.id}):
        if session.ended_at is not None:
            return session
    raise Conflict(
        f"nobody has worked on {task.ref} yet: it has no changes",
        hint="start_task begins the work on a new task, session_start that on a planned one",
        data={"task_id": task.ref, "status": task.status},
    )


def named_session(ledger: Ledger, task: Task, session_id: str) -> Session:
    """The session of that name, which must be one of the task's."""
    session = ledger.get(Session, session_id)
    if session.task_id != task.id:
        raise Invalid(
            f"session_id: {session.ref} is not at {task.ref}",
            hint=f"session_list shows the sessions of {task.ref}",
            data={"field": "session_id"},
        )
    return session


def _one_of(ledger: Ledger, task: Task, session_id: str) -> Session:
    session = named_session(ledger, task, session_id)
    if session.status == QUEUED:
        raise Conflict(f"{session.ref} has not started yet: it has no changes", data={"session_id": session.number})
    return session


def running(ledger: Ledger, tree: str) -> list[Session]:
    """The sessions at work in a tree."""
    return list(every(ledger, Session, {"tree": tree, "status": RUNNING}))


def neighbours(ledger: Ledger, session: Session) -> list[Session]:
    """The sessions that were at work in its tree while it was.

    Those it found there are named in it. Of the others only such have to be looked through that
    started later, or so little earlier that neither could see the other.
    """
    found = {}
    for other in every(ledger, Session, {"tree": session.tree}):
        if other.started_at < session.started_at - SLOWEST_START:
            break
        found[other.id] = other
    earlier = [ledger.find_one(Session, session_id) for session_id in session.beside if session_id not in found]
    found |= {other.id: other for other in earlier if other}
    return [other for other in found.values() if overlaps(session, other)]


def above(ledger: Ledger, task: Task, known: dict[str, Task]) -> list[str]:
    """The ids of the tasks it is a part of, nearest first; `known` holds tasks that were read already."""
    found: list[str] = []
    while task.parent_id and task.parent_id not in found:
        found.append(task.parent_id)
        parent = known.get(task.parent_id) or ledger.find_one(Task, task.parent_id)
        if parent is None:
            break
        known[parent.id] = task = parent
    return found


def about_remark(ctx: Context, task: Task, kind: type[Remark], most: int) -> list[str]:
    """What to say to somebody who is about to record one more remark of a kind on a task."""
    warnings = []
    if task.status != IN_PROGRESS:
        session = last_session(ctx.ledger, task)
        how = f"it ended at {iso(session.ended_at)}" if session and session.ended_at else "nobody is at work on it"
        warnings.append(f"{task.ref} is {task.status}: {how}; this was recorded all the same")
    if len(ctx.ledger.find(kind, {"task_id": task.id}, limit=most)) >= most:
        warnings.append(f"{task.ref} has more than {most} {kind.kind}s; record only those that matter later")
    return [*warnings, *_unheard(ctx, task)]


def _unheard(ctx: Context, task: Task) -> list[str]:
    """What to say of comments that came while the caller was at work."""
    found = ctx.ledger.find(Comment, {"task_id": task.id, "status": COMMENT_OPEN}, limit=1)
    session = last_session(ctx.ledger, task) if found else None
    if not session or found[0].created_at < session.started_at or session.ended_at is not None:
        return []
    return [f"a person commented on {task.ref} while you were at work: task_get shows it as feedback"]


def review(
    ctx: Context,
    task: Task,
    *,
    about: str,
    reason: str,
    question: str,
    paths: Sequence[str] = (),
    judged: str = "",
) -> Review:
    """A question for a person, to be committed with what raised it."""
    return Review(
        id=ctx.new_id("rev"),
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        created_at=ctx.now,
        about=about,
        reason=reason,
        question=question[:MOST_QUESTION],
        paths=[*paths[:MOST_PATHS]],
        judged=judged,
    )


def unfinished_tasks(ledger: Ledger, where: Mapping[str, object]) -> list[Task]:
    """The tasks that somebody is at work on, and those that are still to be done, the oldest first."""
    found = [task for status in (IN_PROGRESS, OPEN) for task in every(ledger, Task, {**where, "status": status})]
    return sorted(found, key=ledger.sort_key)


def refuse_open(tasks: list[Task], message: str) -> None:
    """Refuse what cannot be while tasks are open, naming them."""
    if tasks:
        refs = [task.ref for task in tasks[:PAGE]]
        planned = any(task.status == OPEN for task in tasks)
        hint = "complete them first; task_cancel cancels what will not be done" if planned else "complete them first"
        raise Conflict(f"{message}: {', '.join(refs)}", hint=hint, data={"open_tasks": refs})
