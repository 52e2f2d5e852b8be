"""How tasks and what was said about them read in answers."""

from __future__ import annotations

import json

from deedlog.core.moment import iso, seconds_between
from deedlog.core.task import QUEUED
from deedlog.operation.validate import camel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from deedlog.core.remark import Remark, Review
    from deedlog.core.task import Session, Task
    from deedlog.core.workflow import Workflow
    from deedlog.ports import Context

    Json = dict[str, Any]

HIDDEN = ("id", "version", "task_id", "workflow_id", "created_at", "reviewed_at", "judged")
FILES = ("added", "modified", "deleted")


def workflow_row(ctx: Context, workflow: Workflow, tasks: Iterable[Task]) -> Json:
    """A workflow, how long it has taken, and how many of its tasks are in which state."""
    statuses = [task.status for task in tasks]
    return {
        "workflow_id": workflow.id,
        "name": workflow.name,
        "description": workflow.description,
        "plan": workflow.plan,
        "status": workflow.status,
        "summary": workflow.summary,
        "created_at": iso(workflow.created_at),
        **({"ended_at": iso(workflow.ended_at)} if workflow.ended_at is not None else {}),
        "duration_seconds": seconds_between(workflow.created_at, workflow.ended_at or ctx.now),
        **({"tasks": {status: statuses.count(status) for status in sorted(set(statuses))}} if statuses else {}),
    }


def usage_row(usage: Mapping[str, float]) -> dict[str, float]:
    """What was used, as the tools that speak camelCase tell it."""
    return {camel(name): round(number, 2) if name == "minutes" else number for name, number in usage.items()}


def status_of(task: Task, session: Session | None) -> str:
    """The word of whoever completed it, unless that was sent back; else its status."""
    return session.result or task.status if session and not session.sent_back else task.status


def duration(ctx: Context, session: Session | None) -> int:
    """How long the work took until now; nothing where nobody has begun, or could yet."""
    if session is None or session.status == QUEUED:
        return 0
    return seconds_between(session.started_at, session.ended_at or ctx.now)


def files_of(session: Session | None) -> int:
    """How many files it changed; a renamed one is one."""
    if session is None:
        return 0
    return sum(session.counts.get(status, 0) for status in FILES) - session.counts.get("renamed", 0)


def remark_row(remark: Remark) -> Json:
    """A remark as its own fields, without what is empty."""
    fields = {name: value for name, value in remark.fields().items() if name not in HIDDEN}
    told = {name: value for name, value in fields.items() if value not in (None, "", [], {})}
    return {f"{remark.kind}_id": remark.id, **told, "created_at": iso(remark.created_at)}


def review_row(ctx: Context, review: Review) -> Json:
    """A review without its task, which the reader knows."""
    row: Json = {"review_id": review.id, "reason": review.reason}
    if review.reviewed_at is None:
        row["waiting_seconds"] = seconds_between(review.created_at, ctx.now)
    row |= {"question": review.question, "status": review.status, "created_at": iso(review.created_at)}
    row |= {"choices": review.choices} if review.choices else {}
    if review.reviewed_at is not None:
        row |= {"verdict": review.verdict, "note": review.note}
        row |= {"reviewed_by": review.reviewed_by, "reviewed_at": iso(review.reviewed_at)}
    return row


def changes_of(ctx: Context, session: Session) -> list[Json]:
    """The rows of `core.account` that are kept of a session."""
    rows: list[Json] = json.loads(ctx.ledger.kept(session.changes)) if session.changes else []
    return rows
