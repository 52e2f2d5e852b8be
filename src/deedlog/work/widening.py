"""Letting a task touch more: what its sessions did is judged anew, and what was asked about it answered."""

from __future__ import annotations

from deedlog.core import account, page
from deedlog.core.entry import dumps
from deedlog.core.remark import APPROVED, OPEN, OUT_OF_SCOPE, Review, close
from deedlog.core.scope import Scope
from deedlog.core.task import QUEUED, RUNNING, Session, Task
from deedlog.core.value import Value
from deedlog.core.violation import violations, wider
from deedlog.work.ending import STORED_CHARACTERS, scope_question, verification
from deedlog.work.evidence import Evidence
from deedlog.work.lookup import MOST_QUESTION, every
from deedlog.work.reading import changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]


class Judged(Value):
    """A session under a wider scope, and what is still outside of it."""

    session: Session
    verified: Json
    outside: list[str] = []  # noqa: RUF012  # values are never changed in place


def outside_of(sessions: Sequence[Session]) -> list[str]:
    """What ended sessions changed outside of what they may touch."""
    found = [
        path
        for one in sessions
        for path in (*(row["path"] for row in one.violations), *one.verification.get("unexpected_files", []))
    ]
    return list(dict.fromkeys(found))


def judged(ctx: Context, task: Task, session: Session, more: Sequence[str]) -> Judged:
    """A session of the task, as it is now allowed to be."""
    scope = wider(session.scope, more)
    if session.status in (RUNNING, QUEUED):
        return Judged(session=session.replace(scope=scope), verified={})
    if session.changes_unknown or (session.verification.get("scope_match", True) and not session.violations):
        return Judged(session=session, verified={})
    rows = account.judged_anew(changes_of(ctx, session), Scope(task.areas, ctx.areas))
    outside = violations(rows, scope)
    warnings = account.other_warnings(session.verification.get("warnings", []))
    verified = verification(task, Evidence(session=session, rows=rows, warnings=warnings), outside)
    counts = account.counts(rows) | ({"violations": len(outside)} if outside else {})
    after = session.replace(
        scope=scope,
        changes=ctx.ledger.keep(dumps(rows).encode()) if rows else "",
        counts=counts,
        verification=page.condensed(verified, STORED_CHARACTERS),
        violations=page.fitting(outside, room=STORED_CHARACTERS),
    )
    return Judged(session=after, verified=verified, outside=verified["unexpected_files"])


def answered(ctx: Context, task: Task, found: Sequence[Judged], note: str) -> list[Review]:
    """The reviews of work outside its scope: closed where it is not any more, else about what is left."""
    by_session = {one.session.uri: one for one in found if one.verified}
    reviews = []
    for review in every(ctx.ledger, Review, {"task_id": task.id, "status": OPEN}):
        one = by_session.get(review.about)
        if one is None or review.reason != OUT_OF_SCOPE:
            continue
        if one.verified["scope_match"]:
            reviews.append(close(review, APPROVED, note, by=ctx.actor, now=ctx.now))
        elif (question := scope_question(task, one.verified)[:MOST_QUESTION]) != review.question:
            reviews.append(review.replace(question=question))
    return reviews
