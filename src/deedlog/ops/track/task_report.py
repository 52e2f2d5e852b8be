from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.remark import Decision, Issue, Milestone, Remark, Review
from deedlog.core.task import Session, Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.reading import duration, files_of, remark_row, review_row, status_of

Json = dict[str, Any]


class Report(TypedDict):
    task_id: str
    name: str
    status: str
    goal: str
    areas: list[str]
    workflow_id: NotRequired[str]
    workflow_name: NotRequired[str]
    parent_task_id: NotRequired[str]
    created_at: NotRequired[str]
    started_at: NotRequired[str]
    ended_at: NotRequired[str]
    duration_seconds: int
    actor: NotRequired[str]
    snapshot_id: NotRequired[str]
    snapshot_type: NotRequired[str]
    branch: NotRequired[str]
    outcome: NotRequired[Json]
    metadata: NotRequired[Json]
    changes_unknown: NotRequired[bool]
    counts: NotRequired[dict[str, int]]
    verification: NotRequired[Json]
    decisions: NotRequired[list[Json]]
    issues: NotRequired[list[Json]]
    milestones: NotRequired[list[Json]]
    reviews: NotRequired[list[Json]]
    subtasks: NotRequired[list[Json]]
    earlier_sessions: NotRequired[list[Json]]
    truncated: NotRequired[bool]


@operation(Effect.READ, capability="tracking", callers=ANYONE, further=True, examples=("deedlog task report task-5",))
def task_report(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
) -> Report:
    """Show everything about one task: goal, outcome, verification, decisions, issues, milestones."""
    task = ctx.ledger.get(Task, task_id)
    sessions = list(every(ctx.ledger, Session, {"task_id": task.id}))
    whole = _head(ctx, task, sessions[0] if sessions else None)
    whole |= {name: rows for name, rows in _lists(ctx, task, sessions).items() if rows}
    report: Any = page.condensed(whole)
    if report != whole:
        report["truncated"] = True
    answer: Report = report
    return answer


def _head(ctx: Context, task: Task, session: Session | None) -> Json:
    workflow = ctx.ledger.find_one(Workflow, task.workflow_id) if task.workflow_id else None
    parent = ctx.ledger.find_one(Task, task.parent_id) if task.parent_id else None
    head: Json = {
        "task_id": task.ref,
        "name": task.name,
        "status": status_of(task, session),
        "goal": task.goal,
        "areas": task.areas,
        **({"workflow_id": workflow.id, "workflow_name": workflow.name} if workflow else {}),
        **({"parent_task_id": parent.ref} if parent else {}),
        **({"started_at": iso(session.started_at)} if session else {"created_at": iso(task.created_at)}),
        **({"ended_at": iso(session.ended_at)} if session and session.ended_at else {}),
        "duration_seconds": duration(ctx, session),
    }
    return head | (_session(session) if session else {})


def _session(session: Session) -> Json:
    told = {
        "actor": session.actor,
        "snapshot_id": session.base,
        "snapshot_type": session.snapshot_type,
        "branch": session.branch,
        "outcome": session.outcome,
        "metadata": session.metadata,
        "changes_unknown": session.changes_unknown,
        "counts": session.counts,
        "verification": session.verification,
    }
    return {name: value for name, value in told.items() if value}


def _lists(ctx: Context, task: Task, sessions: list[Session]) -> dict[str, list[Json]]:
    where = {"task_id": task.id}
    remarks: dict[str, type[Remark]] = {"decisions": Decision, "issues": Issue, "milestones": Milestone}
    return {
        **{
            name: [remark_row(r) for r in every(ctx.ledger, kind, where, oldest=True)] for name, kind in remarks.items()
        },
        "reviews": [review_row(ctx, review) for review in every(ctx.ledger, Review, where, oldest=True)],
        "subtasks": [_subtask(ctx, child) for child in every(ctx.ledger, Task, {"parent_id": task.id}, oldest=True)],
        "earlier_sessions": [
            {"session_id": s.ref, "status": s.result or s.status, "started_at": iso(s.started_at)} for s in sessions[1:]
        ],
    }


def _subtask(ctx: Context, task: Task) -> Json:
    found = ctx.ledger.find(Session, {"task_id": task.id}, limit=1)
    session = found[0] if found else None
    return {
        "task_id": task.ref,
        "name": task.name,
        "status": status_of(task, session),
        "duration_seconds": duration(ctx, session),
        "files": files_of(session),
    }
