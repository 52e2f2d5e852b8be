from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.column import PLACES
from deedlog.core.moment import iso, seconds_between
from deedlog.core.task import CANCELLED, COMPLETED, FAILED, QUEUED, RUNNING, STATUSES, Session, Task
from deedlog.core.words import one_line
from deedlog.core.workflow import IN_PROGRESS, Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.attention import Waiting, others, total
from deedlog.work.glance import Glance, changed
from deedlog.work.reading import duration, status_of

LOOKED_BACK = 2_000  # events in which sessions that took long are found when they end
WIDTH = 300


class Counts(TypedDict):
    open: int
    ready: int
    in_progress: int
    done: int
    failed: int
    cancelled: int
    running_sessions: int
    queued_sessions: int
    attention: int


class Running(TypedDict):
    session_id: str
    task_id: str
    task_name: str
    workflow_id: NotRequired[str]
    workflow_name: NotRequired[str]
    agent: NotRequired[str]
    actor: str
    status: str
    started_at: str
    seconds: int
    progress: NotRequired[int]
    milestone: NotRequired[str]
    last_line: NotRequired[str]
    files: NotRequired[int]
    added: NotRequired[int]
    deleted: NotRequired[int]


class Finished(TypedDict):
    task_id: str
    name: str
    status: str
    awaits: NotRequired[str]
    session_id: str
    agent: NotRequired[str]
    ended_at: str
    duration_seconds: int
    files: NotRequired[int]
    added: NotRequired[int]
    deleted: NotRequired[int]
    summary: NotRequired[str]
    workflow_id: NotRequired[str]
    workflow_name: NotRequired[str]


class InWork(TypedDict):
    workflow_id: str
    name: str
    status: str
    created_at: str
    tasks: dict[str, int]
    attention: NotRequired[int]


class Now(TypedDict):
    counts: Counts
    running: list[Running]
    finished: list[Finished]
    workflows: list[InWork]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    alias="now",
    people=True,
    settles=True,
    columns=("task_id", "task_name", "name", "agent", "status", "seconds", "progress", "milestone", "duration_seconds"),
    examples=("deedlog now", "deedlog now --limit 3 --json"),
)
def now_get(
    ctx: Context,
    *,
    limit: Annotated[int, Field("At most this many of each", minimum=1, maximum=100)] = 10,
) -> Now:
    """Show what runs, what finished lately, and how far the workflows are."""
    glance, rest = Glance(ctx), others(ctx)
    now: Now = {
        "counts": _counts(ctx, rest),
        "running": [_running(ctx, glance, session) for session in _at_work(ctx, limit)],
        "finished": _finished(ctx, glance, limit),
        "workflows": [_workflow(ctx, workflow, rest) for workflow in _workflows(ctx, limit)],
    }
    return page.condensed(now)


def _counts(ctx: Context, rest: list[Waiting]) -> Counts:
    by_status = ctx.ledger.tally(Task, "status")
    by_place = ctx.ledger.tally(Task, "queue")
    by_session = ctx.ledger.tally(Session, "status")
    found: Any = {
        **{status: by_status.get(status, 0) for status in STATUSES},
        "ready": sum(by_place.get(place, 0) for place in PLACES),
        "running_sessions": by_session.get(RUNNING, 0),
        "queued_sessions": by_session.get(QUEUED, 0),
        "attention": total(ctx, "", rest),
    }
    counts: Counts = found
    return counts


def _at_work(ctx: Context, limit: int) -> list[Session]:
    """Those that run, the newest first, then those that wait for a place."""
    running = ctx.ledger.find(Session, {"status": RUNNING}, limit=limit)
    left = limit - len(running)
    return running + (ctx.ledger.find(Session, {"status": QUEUED}, limit=left, oldest=True) if left else [])


def _running(ctx: Context, glance: Glance, session: Session) -> Running:
    task = glance.task(session.task_id)
    row: Any = {
        "session_id": session.ref,
        "task_id": task.ref if task else session.task_id,
        "task_name": task.name if task else "",
        **glance.workflow(session.workflow_id),
        **({"agent": session.agent} if session.agent else {}),
        "actor": session.actor,
        "status": session.status,
        "started_at": iso(session.started_at),
        "seconds": duration(ctx, session),
        **glance.milestone(session),
        **glance.last_line(session),
        **changed(session),
    }
    found: Running = row
    return found


def _finished(ctx: Context, glance: Glance, limit: int) -> list[Finished]:
    """The last attempt at each of the tasks that were worked on, those that ended last first."""
    rows: dict[str, Finished] = {}
    for session in _ended(ctx, limit):
        task = glance.task(session.task_id)
        if task and task.ref not in rows and len(rows) < limit:
            rows[task.ref] = _finished_row(ctx, glance, task, session)
    return [*rows.values()]


def _ended(ctx: Context, limit: int) -> list[Session]:
    """Those begun last, and those that began long before but ended just now."""
    found: dict[str, Session] = {}
    for status in (COMPLETED, FAILED, CANCELLED):
        found |= {session.id: session for session in ctx.ledger.find(Session, {"status": status}, limit=3 * limit)}
    seen = max(0, ctx.ledger.head() - LOOKED_BACK)
    query = EventQuery(after=seen, entities=[Session.kind], last=True, limit=3 * limit)
    for event in ctx.ledger.events(query):
        if event.entity_id not in found and (event.after or {}).get("ended_at"):
            session = ctx.ledger.find_one(Session, event.entity_id)
            found |= {session.id: session} if session else {}
    over = [session for session in found.values() if session.ended_at is not None and not session.sent_back]
    return sorted(over, key=lambda session: (session.ended_at or 0, session.id), reverse=True)


def _finished_row(ctx: Context, glance: Glance, task: Task, session: Session) -> Finished:
    summary = one_line(str(session.outcome.get("summary", "")) or session.error.get("message", ""), WIDTH)
    row: Any = {
        "task_id": task.ref,
        "name": task.name,
        "status": status_of(task, session),
        **({"awaits": task.awaits} if task.awaits else {}),
        "session_id": session.ref,
        **({"agent": session.agent} if session.agent else {}),
        "ended_at": iso(session.ended_at or ctx.now),
        "duration_seconds": seconds_between(session.started_at, session.ended_at or ctx.now),
        **changed(session),
        **({"summary": summary} if summary else {}),
        **glance.workflow(task.workflow_id),
    }
    found: Finished = row
    return found


def _workflows(ctx: Context, limit: int) -> list[Workflow]:
    """Those in progress, the newest first; where there are few, what ended lately beside them."""
    found = ctx.ledger.find(Workflow, {"status": IN_PROGRESS}, limit=limit)
    known = {workflow.id for workflow in found}
    others = ctx.ledger.find(Workflow, limit=limit) if len(found) < limit else []
    return [*found, *(other for other in others if other.id not in known)][:limit]


def _workflow(ctx: Context, workflow: Workflow, rest: list[Waiting]) -> InWork:
    tasks = ctx.ledger.tally(Task, "status", {"workflow_id": workflow.id})
    attention = total(ctx, workflow.id, rest)
    row: InWork = {
        "workflow_id": workflow.id,
        "name": workflow.name,
        "status": workflow.status,
        "created_at": iso(workflow.created_at),
        "tasks": {status: tasks.get(status, 0) for status in STATUSES},
    }
    if attention:
        row["attention"] = attention
    return row
