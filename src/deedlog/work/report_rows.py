"""What a report of a workflow says of each task. Of work that goes on it says what is recorded, no more."""

from __future__ import annotations

from deedlog.core import account
from deedlog.core.moment import iso, seconds_between
from deedlog.core.remark import Comment, Decision, Issue, Milestone, Remark, Review
from deedlog.core.task import Session, Task
from deedlog.work.budget import summed
from deedlog.work.commenting import comment_row
from deedlog.work.lookup import every
from deedlog.work.reading import changes_of, remark_row, review_row, status_of, usage_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_FILES = 300  # of one task
MOST_PATCH = 60_000  # characters of one task
MOST_PATCHES = 2_000_000  # of all
MOST_REMARKS = 100  # of a kind, of one task
REMARKS: dict[str, type[Remark]] = {"decisions": Decision, "issues": Issue, "milestones": Milestone}


class Patches:
    """How much of patches a report has room for: `used` of it is."""

    def __init__(self, used: int, *, wanted: bool) -> None:
        self.used = used
        self._wanted = wanted

    def of(self, ctx: Context, session: Session) -> Json:
        if not session.patch or not self._wanted:
            return {}
        text = ctx.ledger.kept(session.patch).decode(errors="backslashreplace")
        if len(text) > min(MOST_PATCH, MOST_PATCHES - self.used):
            return {"patch_left_out": f"it has {len(text)} characters"}
        self.used += len(text)
        return {"patch": text}


def task_row(ctx: Context, task: Task, depth: int, patches: Patches) -> Json:
    sessions = list(every(ctx.ledger, Session, {"task_id": task.id}, oldest=True))
    told = _meant(task, sessions)
    row: Json = {"task_id": task.ref, "name": task.name, "depth": depth, "status": status_of(task, told)}
    more: Json = {
        "goal": task.goal,
        "areas": task.areas,
        "cancel_reason": task.cancel_reason,
        "depends_on": [found.ref for each in task.depends_on if (found := ctx.ledger.find_one(Task, each))],
        "usage": usage_row(summed(sessions, ctx.now)),
        "sent_back": task.sent_back,
        "sessions": [_session(ctx, session) for session in sessions],
        **_remarks(ctx, task),
        **(_work(ctx, told, patches) if told else {}),
    }
    return row | {name: value for name, value in more.items() if value}


def _meant(task: Task, sessions: list[Session]) -> Session | None:
    """Whose work it is that counts: the selected one, else the last."""
    chosen = [session for session in sessions if session.id == task.selected_session_id]
    return next(iter(chosen or sessions[::-1]), None)


def _session(ctx: Context, session: Session) -> Json:
    row = {
        "session_id": session.ref,
        "agent": session.agent or session.client,
        "model": session.model,
        "actor": session.actor,
        "status": session.result or session.status,
        "started_at": iso(session.started_at),
        "ended_at": iso(session.ended_at) if session.ended_at else "",
        "duration_seconds": seconds_between(session.started_at, session.ended_at or ctx.now),
        "sent_back": session.sent_back,
        "summary": str(session.outcome.get("summary", "")) if session.sent_back else "",
        "merged_into": session.merge.get("target", ""),
        "error": session.error.get("message", ""),
        "usage": usage_row(session.usage),
        "checks": [{name: check.get(name) for name in ("label", "passed", "required")} for check in session.checks],
    }
    return {name: value for name, value in row.items() if value}


def _work(ctx: Context, session: Session, patches: Patches) -> Json:
    rows = changes_of(ctx, session)
    names = ("path", "status", "by", "added", "deleted", "scope", "renamed_from", "place")
    return {
        "outcome": {} if session.sent_back else session.outcome,
        "verification": session.verification,
        "changes_unknown": session.changes_unknown,
        "counts": session.counts,
        "files": [{name: row[name] for name in names if name in row} for row in rows[:MOST_FILES]],
        "files_left_out": max(0, len(rows) - MOST_FILES),
        "warnings": account.left_out(rows),
        **patches.of(ctx, session),
    }


def _remarks(ctx: Context, task: Task) -> Json:
    where = {"task_id": task.id}
    found: Json = {name: _last(every(ctx.ledger, kind, where, oldest=True)) for name, kind in REMARKS.items()}
    reviews = [review_row(ctx, review) for review in every(ctx.ledger, Review, where, oldest=True)]
    refs: dict[str, str] = {}
    comments = [comment_row(ctx, task, one, refs) for one in every(ctx.ledger, Comment, where, oldest=True)]
    return {**found, "comments": comments[-MOST_REMARKS:], "reviews": reviews[-MOST_REMARKS:]}


def _last(remarks: Iterable[Remark]) -> list[Json]:
    return [remark_row(remark) for remark in [*remarks][-MOST_REMARKS:]]


def total(ctx: Context, where: dict[str, str]) -> Json:
    """What the whole workflow took: sessions, and tokens and cost where they are known."""
    sessions = list(every(ctx.ledger, Session, where))
    return {"sessions": len(sessions), "usage": usage_row(summed(sessions, ctx.now))}
