"""Removing what ended children left: their work trees, of which a commit is kept."""

from __future__ import annotations

from deedlog.core.child import is_child, is_over
from deedlog.core.errors import DeedlogError
from deedlog.core.task import MERGED, Session, Task
from deedlog.core.value import Value, uris
from deedlog.ports import Seen
from deedlog.work.board import with_sessions
from deedlog.work.finishing import DISCARD, ERROR, NOTHING, clear, is_nowhere_else, put_away, reviews_after
from deedlog.work.lookup import repeated
from deedlog.work.preparing import path_of
from deedlog.work.trees import sessions_of_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Answer, Context

    Json = dict[str, Any]

IS_MERGED, IS_EMPTY, IS_DISCARDED = "merged", "empty", "discarded"


class Judged(Value):
    """A child whose work tree is there: why it can go, or why it stays."""

    session: Session
    removable: str = ""
    kept: str = ""


def judged(ctx: Context, chosen: Sequence[Session] | None, *, discard: bool) -> list[Judged]:
    there = {session.id: session for session in sessions_of_trees(ctx) if is_child(session)}
    wanted = there.values() if chosen is None else [there.get(session.id, session) for session in chosen]
    return [_judged(ctx, session, discard=discard, there=session.id in there) for session in wanted]


def _judged(ctx: Context, session: Session, *, discard: bool, there: bool) -> Judged:
    if not is_over(session):
        return Judged(session=session, kept=f"it is {session.status}")
    if not there:
        return Judged(session=session, kept="its work tree is not here")
    state = ctx.worktrees.state(path_of(ctx, session), session.base)
    work = is_nowhere_else(ctx, session, state)
    if work == NOTHING:
        return Judged(session=session, removable=IS_MERGED if session.dod_result == MERGED else IS_EMPTY)
    if discard:
        return Judged(session=session, removable=IS_DISCARDED)
    return Judged(session=session, kept=f"it has work that is nowhere else: {work}")


def clear_away(ctx: Context, found: Sequence[Judged], answer: Callable[[list[Judged]], Answer]) -> Answer:
    """Keep their work aside, commit that, and only then remove the trees."""
    going: list[Judged] = []
    staying = [one for one in found if not one.removable]
    for one in found:
        if one.removable:
            try:
                going.append(one.replace(session=put_away(ctx, one.session)))
            except DeedlogError as error:
                staying.append(Judged(session=one.session, kept=error.message))
    told = repeated(lambda: _commit(ctx, going, staying, answer))
    for one in going:
        clear(ctx, one.session)
    return told


def _commit(
    ctx: Context, going: list[Judged], staying: list[Judged], answer: Callable[[list[Judged]], Answer]
) -> Answer:
    seen = ctx.ledger.head()
    by_task: dict[str, list[Session]] = {}
    for one in going:
        by_task.setdefault(one.session.task_id, []).append(_gone(ctx, one))
    values: dict[str, Entity] = {}
    workflows: list[str] = []
    for task_id, sessions in by_task.items():
        task = ctx.ledger.get(Task, task_id)
        workflows += uris(workflow=task.workflow_id)
        closed = [s for s in sessions if s.merge.get("how") == DISCARD]
        reviews = [review for session in closed for review in reviews_after(ctx, task, session, None)]
        for value in (*sessions, *with_sessions(ctx, task, *sessions), *reviews):
            values.setdefault(value.uri, value)
    rests = Seen(subject=workflows[0], seq=seen, more=workflows[1:]) if workflows else None
    return ctx.commit(*values.values(), answer=answer([*going, *staying]), seen=rests)


def _gone(ctx: Context, one: Judged) -> Session:
    now = ctx.ledger.get(Session, one.session.id).replace(commit=one.session.commit)
    return now.replace(merge={"how": DISCARD}, dod_result=ERROR) if one.removable == IS_DISCARDED else now
