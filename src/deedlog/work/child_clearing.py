"""Removing what ended children left: their work trees, of which a commit is kept."""

from __future__ import annotations

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.child import OF_A_CHILD, is_child, is_over
from deedlog.core.errors import DeedlogError
from deedlog.core.queue import waits_for_merge
from deedlog.core.task import MERGED, Session, Task
from deedlog.core.value import Value, uris
from deedlog.ports import Seen
from deedlog.work import checks
from deedlog.work.board import with_sessions
from deedlog.work.finishing import DISCARD, ERROR, NOTHING, clear, is_nowhere_else, put_away, reviews_after
from deedlog.work.lookup import repeated
from deedlog.work.preparing import path_of
from deedlog.work.trees import merged_elsewhere, sessions_of_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Answer, Context

    Json = dict[str, Any]

IS_MERGED, IS_EMPTY, IS_DISCARDED = "merged", "empty", "discarded"


class Judged(Value):
    """A child whose work tree is there: why it can go, or why it stays. `merge` is how its work came in."""

    session: Session
    removable: str = ""
    kept: str = ""
    merge: Json = {}  # noqa: RUF012  # values are never changed in place


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
    if work != NOTHING:
        return _doubted(session, f"it has work that is nowhere else: {work}", discard=discard)
    if not waits_for_merge(session):
        return Judged(session=session, removable=IS_MERGED if session.dod_result == MERGED else IS_EMPTY)
    return _with_its_task(ctx, session, discard=discard)


def _doubted(session: Session, why: str, *, discard: bool) -> Judged:
    return Judged(session=session, removable=IS_DISCARDED) if discard else Judged(session=session, kept=why)


def _with_its_task(ctx: Context, session: Session, *, discard: bool) -> Judged:
    """One that ended well and left nothing to merge: with its tree gone, its task would wait for that for ever.

    A task that was made of its prompt is done by its answer; of any other only worker_done may say so.
    """
    task = ctx.ledger.get(Task, session.task_id)
    agent = ctx.ledger.find_one(Agent, session.agent) or BUILT_IN.get(session.agent)
    elsewhere = merged_elsewhere(ctx, session)
    is_plain = not (session.violations or session.changes_unknown or checks.are_required(ctx, task, agent))
    if is_plain and elsewhere:
        merge = {"how": elsewhere, "target": session.target, "by": "elsewhere"}
        return Judged(session=session, removable=IS_MERGED, merge=merge)
    if is_plain and OF_A_CHILD in task.labels:
        return Judged(session=session, removable=IS_EMPTY, merge={"how": NOTHING, "target": session.target})
    why = f"{task.ref} waits: worker_done with force calls it done, worker_done with how discard gives it up"
    return _doubted(session, why, discard=discard)


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
    settled = [one.session.id for one in going if one.merge]
    for one in going:
        by_task.setdefault(one.session.task_id, []).append(_gone(ctx, one))
    values: dict[str, Entity] = {}
    workflows: list[str] = []
    for task_id, sessions in by_task.items():
        task = ctx.ledger.get(Task, task_id)
        workflows += uris(workflow=task.workflow_id)
        done = [session for session in sessions if session.id in settled]
        task = task.replace(selected_session_id=done[-1].id) if done else task
        closed = [s for s in sessions if s.merge.get("how") == DISCARD or s in done]
        reviews = [review for session in closed for review in reviews_after(ctx, task, session, None)]
        for value in (*sessions, *with_sessions(ctx, task, *sessions), *reviews):
            values.setdefault(value.uri, value)
    rests = Seen(subject=workflows[0], seq=seen, more=workflows[1:]) if workflows else None
    return ctx.commit(*values.values(), answer=answer([*going, *staying]), seen=rests)


def _gone(ctx: Context, one: Judged) -> Session:
    now = ctx.ledger.get(Session, one.session.id).replace(commit=one.session.commit)
    if now.dod_result == MERGED:
        return now
    if one.merge:
        return now.replace(merge=one.merge, dod_result=MERGED)
    return now.replace(merge={"how": DISCARD}, dod_result=ERROR) if one.removable == IS_DISCARDED else now
