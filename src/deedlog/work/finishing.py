"""What becomes of the work of a session that has ended: merged into its target, or kept aside."""

from __future__ import annotations

from deedlog.core import question
from deedlog.core.account import own_paths
from deedlog.core.check import failed
from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.remark import (
    IN_THE_WAY,
    OPEN,
    OUT_OF_SCOPE,
    OVER_BUDGET,
    WORKER_FAILED,
    Comment,
    Review,
    close,
    overtaken,
)
from deedlog.core.task import COMPLETED, MERGED, Session, Task
from deedlog.core.value import Value
from deedlog.core.violation import meant
from deedlog.work.lookup import every, review
from deedlog.work.preparing import path_of
from deedlog.work.reading import changes_of
from deedlog.work.trees import merged_elsewhere, session_of_tree
from deedlog.work.upkeep import forget
from deedlog.work.worker_rows import AT_WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context, TreeState, Worktree

    Json = dict[str, Any]

ERROR, DISCARD, NOTHING = "error", "discard", "nothing"
CHECKS, CONFLICT, UNKNOWN = "checks", "conflict", "changes_unknown"  # why a person is asked
ANSWERED_BY_MERGING = (CHECKS, CONFLICT, UNKNOWN, WORKER_FAILED, OVER_BUDGET, IN_THE_WAY)
MOST_NAMED = 10
MERGE_OR_DISCARD = "worker_done with force merges it, worker_done with how discard and force gives it up"


class Stuck(Value):
    """Why the work of a session was not merged: for the caller, and for a person to look at."""

    reason: str
    message: str
    hint: str
    data: dict[str, object]
    session: Session
    paths: list[str] = []  # noqa: RUF012  # values are never changed in place
    mark: str = ""  # of exactly what is outside the scope

    def refusal(self) -> Conflict:
        return Conflict(self.message, hint=self.hint, data=self.data)

    def review(self, ctx: Context, task: Task) -> Review:
        paths = self.paths if self.reason == CONFLICT else []
        asked = self._question(task)
        about = self.session.uri
        return review(ctx, task, about=about, reason=self.reason, question=asked, paths=paths, judged=self.mark)

    def _question(self, task: Task) -> str:
        if self.reason == OUT_OF_SCOPE:
            return question.outside(task, self.paths, [])
        if self.reason == CONFLICT:
            return question.conflict(task, self.session.target, self.paths)
        labels = failed(self.session.checks)
        printed = next(row.get("output", "") for row in self.session.checks if row["label"] == labels[0])
        return question.checks(task, labels, printed)


def refuse_unfinished(session: Session, *, force: bool) -> None:
    """Refuse to merge what is not over, or did not end well."""
    if session.status in AT_WORK:
        raise Conflict(
            f"session {session.number} is {session.status}",
            hint="worker_wait waits for it" if session.host else "tell session_end how it ended",
            data={"session_id": session.number, "status": session.status, "running_session_id": session.number},
        )
    if not session.worktree:
        raise Conflict(
            f"session {session.number} worked in the user's own tree: there is nothing to merge",
            data={"session_id": session.number},
        )
    refuse_sent_back(session, force=force)
    if session.status != COMPLETED and not force:
        raise Conflict(
            f"session {session.number} {session.status}: its work may be half done",
            hint=f"look at it in {session.worktree}, then {MERGE_OR_DISCARD}",
            data={"session_id": session.number, "status": session.status},
        )


def refuse_sent_back(session: Session, *, force: bool) -> None:
    """Refuse to merge what somebody sent back: who wants it merged may not have seen that."""
    if session.sent_back and not force:
        raise Conflict(
            f"session {session.number} was sent back: nothing was merged",
            hint=f"comment_list shows why; worker_run begins the next attempt, {MERGE_OR_DISCARD}",
            data={"session_id": session.number, "sent_back": True},
        )


def not_settled(ctx: Context, task: Task) -> list[str]:
    """What to say of comments on a task that is called done while they are open."""
    said = question.said_of(ctx.ledger.count(Comment, {"task_id": task.id, "status": OPEN}))
    return [f"{said} task_approve settles that, task_send_back has {task.ref} worked on again"] if said else []


def refuse_elsewhere(ctx: Context, session: Session, state: TreeState) -> None:
    """Refuse to give up what is on another machine, where nobody here can look at it."""
    if not state.there and session.host not in ("", ctx.workers.host):
        raise Conflict(
            f"the work tree of session {session.number} is on {session.host}",
            hint="discard it there",
            data={"session_id": session.number, "host": session.host},
        )


def refuse_lost(ctx: Context, session: Session, state: TreeState) -> None:
    """Refuse to merge without the work tree where work was in it that no commit has."""
    if state.there:
        return
    tip = ctx.worktrees.tip(session.branch) or session.tip
    known = ctx.worktrees.changed(session.base, tip) if tip else []
    gone = [path for path in map(meant, own_paths(changes_of(ctx, session))) if path not in known]
    if gone:
        raise Conflict(
            f"the work tree of session {session.number} is gone, with uncommitted work: {question.listed(gone)}",
            hint="worker_done with how discard and force gives it up; worker_run does the task again",
            data={"session_id": session.number, "lost": gone[:MOST_NAMED]},
        )


def uncommitted(ctx: Context, session: Session, state: TreeState, message: str, *, commit: bool) -> None:
    """Commit what the worker left uncommitted, or refuse to go on without it, or with work on another branch."""
    if not state.there:
        return
    if state.dirty and not commit:
        raise Conflict(
            f"session {session.number} left {len(state.dirty)} file(s) uncommitted",
            hint="call it with commit, or commit them in its work tree",
            data={"session_id": session.number, "uncommitted": state.dirty[:MOST_NAMED]},
        )
    ctx.worktrees.commit(path_of(ctx, session), message)


def reviews_after(ctx: Context, task: Task, session: Session, stuck: Stuck | None) -> list[Review]:
    """What a person is asked now, each thing once; merging or discarding the work answers what was asked before.

    Work that changed is asked about under another id: an answer must not reach what its person did not look at.
    Not, by merging, whether it should have left the areas of its task: nobody had to force that.
    """
    found = every(ctx.ledger, Review, {"task_id": task.id})
    asked = [one for one in found if one.status == OPEN and one.about == session.uri]
    if stuck:
        before = [one for one in asked if one.reason == stuck.reason]
        if any(one.judged == stuck.mark for one in before):
            return []
        now = stuck.review(ctx, task)
        return [*(overtaken(one, now, by=ctx.actor, now=ctx.now) for one in before), now]
    note = "it was discarded"
    if session.dod_result == MERGED:
        note = "it was merged"
        answered = (*ANSWERED_BY_MERGING, *([OUT_OF_SCOPE] if session.violations else []))
        asked = [one for one in asked if one.reason in answered]
    return [close(one, "noted", note, by=ctx.actor, now=ctx.now) for one in asked]


def outside_scope(session: Session, outside: list[dict[str, str]], mark: str, *, is_there: bool = False) -> Stuck:
    """`is_there` says that another hand than Deedlog's brought it into the target already."""
    paths = [violation["path"] for violation in outside]
    what = f"it is in {session.target} already, not merged by Deedlog" if is_there else "nothing was merged"
    return Stuck(
        reason=OUT_OF_SCOPE,
        message=f"session {session.number} changed {len(paths)} file(s) outside its scope: {what}",
        hint=f"a person approves it (review_list shows the question), or: {MERGE_OR_DISCARD}",
        data={"session_id": session.number, "violations": session.violations},
        session=session,
        paths=paths,
        mark=mark,
    )


def checks_failed(session: Session, rows: list[Json]) -> Stuck:
    labels = failed(rows)
    return Stuck(
        reason=CHECKS,
        message=f"{len(labels)} required check(s) of session {session.number} did not pass: nothing was merged",
        hint="session_get shows their output; repair the work, or a person changes the checks (force skips none), "
        "then call worker_done again",
        data={"session_id": session.number, "failed": labels, "checks": rows},
        session=session.replace(checks=rows, dod_result=ERROR),
    )


def in_conflict(session: Session, paths: list[str]) -> Stuck:
    return Stuck(
        reason=CONFLICT,
        message=f"{len(paths)} file(s) of session {session.number} conflict with {session.target}: nothing was merged",
        hint=f"merge {session.target} in its work tree and resolve them, then call worker_done again",
        data={"session_id": session.number, "conflicts": paths[:MOST_NAMED], "worktree": session.worktree},
        session=session,
        paths=paths,
    )


def others(ctx: Context, task: Task, session: Session) -> list[Session]:
    """The other attempts of the same group, and those that were sent back, whose work trees are still there."""
    if not session.group and not task.sent_back:
        return []
    found = every(ctx.ledger, Session, {"task_id": task.id}, oldest=True)
    return [
        other
        for other in found
        if (other.sent_back or (session.group and other.group == session.group))
        and other.id != session.id
        and other.worktree
        and not other.commit
    ]


def is_nowhere_else(ctx: Context, session: Session, state: TreeState) -> str:
    """What would be lost with the work tree of a session."""
    commits = 0 if state.commits and merged_elsewhere(ctx, session) else state.commits
    said = [f"{commits} commit(s)"] if commits else []
    said += [f"{len(state.dirty)} uncommitted file(s)"] if state.dirty else []
    return ", ".join(said) or NOTHING


def put_away(ctx: Context, session: Session) -> Session:
    """The session with its work kept aside, so that its tree can go and come back."""
    path = path_of(ctx, session)
    if not ctx.worktrees.state(path, session.base).there:
        return session.replace(commit=ctx.worktrees.tip(session.branch))  # all that is left of it
    return session.replace(commit=ctx.worktrees.keep(path, f"{session.ref}-{ctx.now}"))


def clear(ctx: Context, session: Session) -> list[str]:
    """Remove the work tree of a session whose work is kept; what is in the way is told, the next call tries again."""
    ctx.workers.forget_log(session.number)
    try:
        ctx.worktrees.remove(path_of(ctx, session), session.branch)
    except DeedlogError as error:
        return [f"{session.worktree} could not be removed: {error.message}"]
    return []


def sweep(ctx: Context) -> None:
    """Remove what calls that died left: work trees that nobody has, or that are finished, and that hold nothing else.

    Whatever is in the way of one is no reason to refuse what the caller wants.
    """
    for made in ctx.worktrees.abandoned():  # before the sessions: who made them cannot commit one later
        session = session_of_tree(ctx, made.path.rpartition("/")[2])
        try:
            if session is None:
                _remove_unused(ctx, made)
            elif session.commit and session.dod_result == MERGED:
                _remove_finished(ctx, session)
        except DeedlogError:
            continue


def _remove_unused(ctx: Context, made: Worktree) -> None:
    state = ctx.worktrees.state(made.path, made.base)
    if not state.dirty and not state.commits:
        forget(ctx, made.path, [])
        ctx.worktrees.remove(made.path, made.branch)


def _remove_finished(ctx: Context, session: Session) -> None:
    state = ctx.worktrees.state(path_of(ctx, session), session.base)
    if is_nowhere_else(ctx, session, state) == NOTHING:
        clear(ctx, session)
