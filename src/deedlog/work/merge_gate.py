"""The merge gate: judge exactly the commit that the target would become, check it, and move the target to it.

    propose R from target T → compare T and R with the scope → run the checks on R → record the verdict → move T to R

If the target moves meanwhile, all of it begins again. Killed after the target moved, the next call finds the recorded
verdict and finishes.
"""

from __future__ import annotations

from deedlog.core import account, page
from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.attribution import OWN, Owner
from deedlog.core.change import shown
from deedlog.core.check import failed
from deedlog.core.entry import dumps
from deedlog.core.errors import Conflict, Part
from deedlog.core.remark import APPROVED, OUT_OF_SCOPE, Review
from deedlog.core.scope import Scope
from deedlog.core.task import MERGED, Session, Task, findable
from deedlog.core.value import Value
from deedlog.core.violation import fingerprint, merge_violations
from deedlog.work import checks
from deedlog.work.ending import STORED_CHARACTERS, verification
from deedlog.work.evidence import Evidence
from deedlog.work.finishing import (
    NOTHING,
    Stuck,
    checks_failed,
    in_conflict,
    outside_scope,
    refuse_sent_back,
)
from deedlog.work.lookup import every
from deedlog.work.trees import merged_elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.core.change import Change, Comparison
    from deedlog.ports import Context, Merging, Proposal

    Json = dict[str, Any]

TRIES = 20
FOUND = ("changes", "patch", "changes_unknown", "counts", "files", "verification", "violations")


class Order(Value):
    """How to merge a session's work. `force` accepts that it changed nothing; only a person `overrules` the scope."""

    how: str
    message: str
    force: bool
    overrules: bool


class Judged(Value):
    """A session with the record of what its merge changes; `outside` is all of it that left the scope."""

    session: Session
    outside: list[dict[str, str]]
    mark: str


def merged(ctx: Context, task: Task, session: Session, order: Order) -> Session | Stuck:
    """The session with its work merged, or why it was not."""
    with ctx.worktrees.merging(_waiting(ctx)) as merging:
        for _ in range(TRIES):
            outcome = _attempt(ctx, merging, task, ctx.ledger.get(Session, session.id), order)
            if outcome is not None:
                return outcome
    raise Conflict(
        f"the branch {session.target} keeps moving, or is busy",
        hint="repeat the call",
        part=Part.GIT,
        data={"passes": True},
    )


def _waiting(ctx: Context) -> Callable[[], None]:
    def waiting() -> None:
        if ctx.peer.cancelled():
            raise Conflict("the call was cancelled while it waited for another merge", hint="call worker_done again")
        ctx.peer.progress(0, None, "waiting for another merge to end")

    return waiting


def _attempt(ctx: Context, merging: Merging, task: Task, session: Session, order: Order) -> Session | Stuck | None:
    """None where the target moved before the work was judged and checked."""
    if _was_moved(merging, session):
        return _done(session, session.judged)
    if found := merged_elsewhere(ctx, session):
        return _elsewhere(ctx, merging, task, session, found, order)
    if session.commit and not ctx.worktrees.tip(session.branch):  # Deedlog removed its tree, which held nothing
        return _without_change(session)
    tip = _tip(ctx, session)
    signs: bool = ctx.settings["merge_signing"]
    how, message = order.how, order.message
    proposal = merging.propose(tip, session.base, session.target, how, message, sign=signs)
    if proposal.conflicts:
        return in_conflict(session, proposal.conflicts)
    if proposal.commit == proposal.onto:
        return _nothing(session, order)
    judged = judge(ctx, task, session, merging.difference(proposal.onto, proposal.commit))
    if judged.outside and not order.overrules and not is_approved(ctx, session, judged.mark):
        return outside_scope(judged.session, judged.outside, judged.mark)
    rows = checks.run(ctx, merging, proposal, message, checks.required_of(ctx, task, _agent(ctx, session)))
    if failed(rows):
        return checks_failed(judged.session, rows)
    refuse_sent_back(ctx.ledger.get(Session, session.id), force=order.overrules)  # checks take their time
    return _moved(ctx, merging, judged.session.replace(checks=rows), proposal)


def _tip(ctx: Context, session: Session) -> str:
    if tip := ctx.worktrees.tip(session.branch):
        return tip
    raise Conflict(
        f"the branch {session.branch} of session {session.number} is gone, and git does not find its work",
        hint="if it was merged, tell session_end so, with the Definition of Done result merged; else discard it",
        data={"session_id": session.number, "branch": session.branch, "target": session.target},
    )


def _agent(ctx: Context, session: Session) -> Agent | None:
    return ctx.ledger.find_one(Agent, session.agent) or BUILT_IN.get(session.agent)


def _nothing(session: Session, order: Order) -> Session:
    """A worker that changed nothing has mostly failed, unless its scope let it write nothing."""
    if session.scope.get("write") == [] or order.force:
        return _without_change(session)
    raise Conflict(
        f"session {session.number} changed nothing: nothing was merged",
        hint="a person can call the task done with force; worker_done with how discard gives it up",
        data={"session_id": session.number},
    )


def _without_change(session: Session) -> Session:
    return session.replace(dod_result=MERGED, merge={"how": NOTHING, "target": session.target})


def judge(ctx: Context, task: Task, session: Session, comparison: Comparison) -> Judged:
    """Compare a full difference with the scope of a session. No file is exempt."""
    paths = [change.path for change in comparison.changes]
    rows = account.rows_of(comparison.changes, _of_session, Scope(task.areas, ctx.areas), {}, paths)
    left = merge_violations(comparison.contents, session.scope)
    outside = [{"path": shown(path), "reason": reason} for path, reason in left.items()]
    warnings = account.other_warnings(session.verification.get("warnings", []))
    verified = verification(task, Evidence(session=session, rows=rows, warnings=warnings), outside)
    record = session.replace(
        changes=ctx.ledger.keep(dumps(rows).encode()) if rows else "",
        patch=ctx.ledger.keep(comparison.patch) if comparison.patch else "",
        changes_unknown=False,
        counts=account.counts(rows) | ({"violations": len(outside)} if outside else {}),
        files=findable(account.own_paths(rows), session.outcome, session.metadata, session.artifacts),
        verification=page.condensed(verified, STORED_CHARACTERS),
        violations=page.fitting(outside, room=STORED_CHARACTERS),
    )
    return Judged(session=record, outside=outside, mark=fingerprint(left, comparison.contents))


def _of_session(_: Change) -> Owner:
    return Owner(by=OWN)


def is_approved(ctx: Context, session: Session, mark: str) -> bool:
    """Whether a person approved of exactly these changes outside the scope."""
    found = every(ctx.ledger, Review, {"task_id": session.task_id, "reason": OUT_OF_SCOPE})
    return any(one.about == session.uri and one.verdict == APPROVED and one.judged == mark for one in found)


def _elsewhere(ctx: Context, merging: Merging, task: Task, session: Session, how: str, order: Order) -> Session | Stuck:
    """The work is in the target already, by another hand than Deedlog's. What it changed is judged all the same."""
    tip = ctx.worktrees.tip(session.branch) or session.tip
    judged = judge(ctx, task, session, merging.difference(session.base, tip)) if session.base and tip else None
    if judged and judged.outside and not order.overrules and not is_approved(ctx, session, judged.mark):
        return outside_scope(judged.session, judged.outside, judged.mark, is_there=True)
    merge = {"how": how, "target": session.target, "by": "elsewhere"}
    return (judged.session if judged else session).replace(dod_result=MERGED, merge=merge)


def _moved(ctx: Context, merging: Merging, session: Session, proposal: Proposal) -> Session | None:
    """Record the verdict, then move the target: whoever comes after a crash knows what was judged."""
    verdict = {
        "commit": proposal.commit,
        "onto": proposal.onto,
        "tip": proposal.tip,
        "how": proposal.how,
        "target": proposal.target,
    }
    record = {name: getattr(session, name) for name in (*FOUND, "checks")}
    ctx.inner("worker_judged", {"sessionId": session.number, "verdict": verdict, "record": record})
    if not merging.move(proposal):
        return None
    merging.keep()
    return _done(session, verdict)


def _was_moved(merging: Merging, session: Session) -> bool:
    verdict = session.judged
    return bool(verdict) and merging.holds(verdict["target"], verdict["commit"])


def _done(session: Session, verdict: dict[str, str]) -> Session:
    merge = {name: verdict[name] for name in ("how", "target", "commit")}
    return session.replace(dod_result=MERGED, merge=merge, judged=verdict)
