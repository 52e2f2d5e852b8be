from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.task import MERGED, Session, Task
from deedlog.core.words import one_line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import merge_gate
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.checks import refuse_unapproved
from deedlog.work.choosing import chosen
from deedlog.work.finishing import (
    DISCARD,
    ERROR,
    MOST_NAMED,
    NOTHING,
    Stuck,
    clear,
    is_nowhere_else,
    not_settled,
    others,
    put_away,
    refuse_elsewhere,
    refuse_lost,
    refuse_unfinished,
    reviews_after,
    uncommitted,
)
from deedlog.work.lookup import repeated
from deedlog.work.preparing import path_of
from deedlog.work.worker_rows import AT_WORK

LONGEST_SUBJECT = 60


class Done(TypedDict):
    sessionId: int
    taskId: int
    merged: bool
    how: str
    dodResult: str
    taskStatus: str
    target: NotRequired[str]
    by: NotRequired[str]
    note: NotRequired[str]
    commit: NotRequired[str]
    checks: NotRequired[list[dict[str, Any]]]
    otherAttempts: NotRequired[list[dict[str, Any]]]
    restore: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    settles=True,
    waits=True,
    examples=(
        "deedlog worker done task-5 --how squash",
        "deedlog worker done session-12",
        "deedlog worker done session-12 --how discard --force",
    ),
)
def worker_done(
    ctx: Context,
    *,
    task_id: Annotated[int | None, Field("Its only attempt (or the selected one)", minimum=1)] = None,
    session_id: Annotated[int | None, Field("Or one of its sessions", minimum=1)] = None,
    how: Annotated[
        Literal["merge", "squash", "rebase", "discard"] | None, Field("How to bring the work in (default merge)")
    ] = None,
    force: Annotated[
        bool,
        Field(
            "Although it failed, was sent back, left its scope, changed nothing, or work would be lost",
            rare=True,
            person=True,
        ),
    ] = False,
    message: Annotated[str | None, Field("Commit message", max_length=5_000, rare=True)] = None,
    commit: Annotated[bool, Field("Commit what the worker left uncommitted", rare=True)] = True,
) -> Done:
    """Finish an ended worker: judge and check its work, merge exactly that, remove its work tree.

    Changes outside its scope, a failed check or a conflict merge nothing. Deedlog recognises a merge by hand;
    worker_restore brings a removed tree back.
    """
    session = chosen(ctx, session_id, task_id)
    task = ctx.ledger.get(Task, session.task_id)
    if _is_finished(session):
        return _again(ctx, task, session, how, force=force)
    refuse_unfinished(session, force=(force and not ctx.is_deedlog) or how == DISCARD)
    said = message or f"{task.ref}: {one_line(task.name, LONGEST_SUBJECT)}"
    order = merge_gate.Order(how=how or "merge", message=said, force=force, overrules=force and not ctx.is_deedlog)
    try:
        if how == DISCARD:
            outcome: Session | Stuck = _discarded(ctx, session, force=force)
        else:
            _collect(ctx, session, said, commit=commit)
            outcome = merge_gate.merged(ctx, task, session, order)
        answer = _record(ctx, session, outcome)
    except DeedlogError:
        now = ctx.ledger.get(Session, session.id)
        if not _is_finished(now):
            raise
        return _again(ctx, task, now, how, force=force)  # another call was faster
    if isinstance(outcome, Stuck):
        raise outcome.refusal()
    return answer


def _is_finished(session: Session) -> bool:
    return session.merge.get("how") == DISCARD or (bool(session.commit) and session.dod_result == MERGED)


def _again(ctx: Context, task: Task, session: Session, how: str | None, *, force: bool) -> Done:
    """It was finished before. Its tree may be there all the same: that call died, or one that brought it back."""
    before = session.merge.get("how", NOTHING)
    if how and (how == DISCARD) != (before == DISCARD):
        raise Conflict(
            f"session {session.number} is finished already: {before}",
            hint="worker_restore brings its work tree back",
            data={"session_id": session.number, "how": before},
        )
    state = ctx.worktrees.state(path_of(ctx, session), session.base)
    if not state.there:
        return _answer(ctx, task, session, _sent_back_since(task, session))
    if force or is_nowhere_else(ctx, session, state) == NOTHING:
        return _record(ctx, session, session)
    return _answer(
        ctx, task, session, [f"its work tree is there, with work in it: {session.worktree}; force removes it"]
    )


def _sent_back_since(task: Task, session: Session) -> list[str]:
    if not session.sent_back or session.dod_result != MERGED:
        return []
    return [f"it was merged before, and {task.ref} is sent back: its next attempt is what will be merged"]


def _discarded(ctx: Context, session: Session, *, force: bool) -> Session:
    state = ctx.worktrees.state(path_of(ctx, session), session.base)
    refuse_elsewhere(ctx, session, state)
    if not force and (work := is_nowhere_else(ctx, session, state)) != NOTHING:
        raise Conflict(
            f"session {session.number} has work that is nowhere else: {work}",
            hint="merge it, or force the discard; worker_restore can bring it back",
            data={"session_id": session.number, "commits": state.commits, "uncommitted": state.dirty[:MOST_NAMED]},
        )
    if session.dod_result == MERGED:
        return session
    return session.replace(merge={"how": DISCARD}, dod_result=ERROR)


def _collect(ctx: Context, session: Session, message: str, *, commit: bool) -> None:
    """Have all of the work in commits, or refuse by name what is not."""
    refuse_unapproved(ctx)
    path = path_of(ctx, session)
    ctx.worktrees.take_back(path)  # where the end of the session could not
    state = ctx.worktrees.state(path, session.base)
    refuse_lost(ctx, session, state)
    uncommitted(ctx, session, state, message, commit=commit)


def _record(ctx: Context, before: Session, outcome: Session | Stuck) -> Done:
    """Commit what came of it; only then the work tree goes."""
    if isinstance(outcome, Stuck):
        return _commit(ctx, before, outcome.session, outcome)
    warnings = []
    try:
        outcome = put_away(ctx, outcome)
    except DeedlogError as error:
        if outcome.dod_result != MERGED:
            raise
        warnings = [f"its work tree stays: {error.message}"]  # what it brought is merged all the same
    answer = _commit(ctx, before, outcome)
    if warnings := [*warnings, *(clear(ctx, outcome) if outcome.commit else [])]:
        answer["warnings"] = [*answer.get("warnings", []), *warnings]
    return answer


def _commit(ctx: Context, before: Session, found: Session, stuck: Stuck | None = None) -> Done:
    def attempt() -> Done:
        seen = ctx.ledger.head()
        task = ctx.ledger.get(Task, found.task_id)
        now = ctx.ledger.get(Session, found.id)
        _refuse_overtaken(before, now, found)
        is_news = found.dod_result == MERGED != now.dod_result
        session = now.replace(
            dod_result=found.dod_result,
            merge=found.merge,
            judged=found.judged,
            checks=found.checks,
            **{name: getattr(found, name) for name in merge_gate.FOUND},
            commit=found.commit or now.commit,
            # who merges what was sent back has thought better of it, but not who was overtaken
            sent_back=now.sent_back and not (is_news and before.sent_back),
        )
        if session.dod_result == MERGED and not session.sent_back:
            task = task.replace(selected_session_id=session.id)
        changed = with_sessions(ctx, task, session)
        after = next((value for value in changed if isinstance(value, Task) and value.id == task.id), task)
        reviews = reviews_after(ctx, task, session, stuck)
        said = [*_sent_back_since(after, session), *not_settled(ctx, task)] if is_news else []
        answer = _answer(ctx, after, session, said)
        if stuck and session == now and not reviews:
            return answer  # it was told before
        return ctx.commit(session, *changed, *reviews, answer=answer, seen=resting_on(task, seen))

    return repeated(attempt)


def _refuse_overtaken(before: Session, now: Session, found: Session) -> None:
    """What another call has made of it meanwhile stands, unless we have merged what it gave up."""
    is_news = found.dod_result == MERGED != now.dod_result
    if is_news or (now.merge, now.commit, now.dod_result) == (before.merge, before.commit, before.dod_result):
        return
    raise Conflict(
        f"another call finished session {now.number} at the same time",
        hint="repeat the call",
        data={"session_id": now.number, "how": now.merge.get("how", NOTHING)},
    )


def _answer(ctx: Context, task: Task, session: Session, warnings: list[str]) -> Done:
    answer: Done = {
        "sessionId": session.number,
        "taskId": task.number,
        "merged": session.dod_result == MERGED and session.merge.get("how") != NOTHING,
        "how": session.merge.get("how", NOTHING),
        "dodResult": session.dod_result,
        "taskStatus": task.status,
    }
    if "target" in session.merge:
        answer["target"] = session.merge["target"]
    if "by" in session.merge:
        answer["by"] = session.merge["by"]
        answer["note"] = f"it was already in {session.merge['target']}, recognised as a {answer['how']}"
    if session.merge.get("how") == NOTHING:
        answer["note"] = "there was nothing to merge"
    if session.merge.get("commit"):
        answer["commit"] = session.merge["commit"]
    if session.checks:
        answer["checks"] = session.checks
    if session.commit:
        answer["restore"] = f"worker_restore brings the work tree of session {session.number} back"
    if rest := others(ctx, task, session):
        answer["otherAttempts"] = [_other(other) for other in rest]
    if warnings:
        answer["warnings"] = warnings
    return answer


def _other(session: Session) -> dict[str, Any]:
    what = "worker_stop, then discard it" if session.status in AT_WORK else "worker_done with how discard"
    return {"sessionId": session.number, "status": session.status, "worktree": session.worktree, "hint": what}
