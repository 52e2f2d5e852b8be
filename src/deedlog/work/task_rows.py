"""How tasks read in answers of the tools that speak camelCase."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.moment import iso
from deedlog.core.queue import OVER, is_held, is_ready
from deedlog.core.task import FAILED, Session, Task
from deedlog.ports import Context

Json = dict[str, Any]
MOST_NAMED = 100  # of the tasks that wait for one
MOST_LISTED = 10  # of those that a row of a list waits for
TO_MERGE = "worker_done checks and merges its work"
SENT_BACK = "a person can send it back (task_send_back)"
PAGE = 20_000  # characters of a description in one answer


class Row(TypedDict):
    id: int
    title: str
    status: str
    awaits: NotRequired[str]
    retry: NotRequired[bool]
    priority: str
    assignee: Any
    type: str
    labels: list[str]
    ready: NotRequired[bool]
    parentId: NotRequired[int]
    waitingFor: NotRequired[list[int]]
    claimedBy: NotRequired[str]
    updatedAt: str


class Details(TypedDict):
    id: int
    title: str
    description: str
    nextOffset: NotRequired[int]
    status: str
    awaits: NotRequired[str]
    retry: NotRequired[bool]
    hint: NotRequired[str]
    priority: str
    type: str
    assignee: Any
    assigneeType: Any
    assigneeName: Any
    selectedSessionId: Any
    labels: list[str]
    ready: bool
    parentId: NotRequired[int]
    workflowId: NotRequired[str]
    dependsOn: NotRequired[list[int]]
    waitingFor: NotRequired[list[int]]
    blocks: NotRequired[list[int]]
    complexity: NotRequired[int]
    areas: NotRequired[list[str]]
    scope: NotRequired[Json]
    checks: NotRequired[list[Json]]
    budget: NotRequired[Json]
    usage: NotRequired[Json]
    claimedBy: NotRequired[str]
    epoch: NotRequired[int]
    leaseUntil: NotRequired[str]
    cancelReason: NotRequired[str]
    origin: NotRequired[str]
    sentBack: NotRequired[int]
    earlierWork: NotRequired[Json]
    feedback: NotRequired[list[Json]]
    setbacks: NotRequired[list[Json]]
    createdAt: str
    updatedAt: str


def task_row(ctx: Context, task: Task, known: dict[str, Task | None] | None = None) -> Row:
    """A task as lists have it; `known` holds others that were read already."""
    known = {} if known is None else known
    told = {
        "ready": is_ready(task),
        "parentId": _number(ctx, task.parent_id, known),
        "waitingFor": _unfinished(ctx, task, known),
        "claimedBy": task.holder if is_held(task, ctx.now) else "",
    }
    row: Any = {
        "id": task.number,
        "title": task.name,
        "status": task.status,
        **whose_turn(task),
        "priority": task.priority,
        "assignee": task.assignee or None,
        "type": task.type,
        "labels": task.labels,
        **{name: value for name, value in told.items() if value},
        "updatedAt": iso(task.updated_at or task.created_at),
    }
    found: Row = row
    return found


def task_details(ctx: Context, task: Task, offset: int = 0) -> Details:
    """One task in full, without its sessions; of a long description a part."""
    end = offset + PAGE
    whole: Any = {
        "id": task.number,
        "title": task.name,
        "description": task.goal[offset:end],
        **({"nextOffset": end} if end < len(task.goal) else {}),
        "status": task.status,
        **whose_turn(task),
        **({"hint": TO_MERGE} if task.awaits else {}),
        "priority": task.priority,
        "type": task.type,
        "assignee": task.assignee or None,
        "assigneeType": task.assignee_type or None,
        "assigneeName": task.assignee or None,
        "selectedSessionId": _selected(ctx, task),
        "labels": task.labels,
        "ready": is_ready(task),
        **{name: value for name, value in _more(ctx, task).items() if value},
        "createdAt": iso(task.created_at),
        "updatedAt": iso(task.updated_at or task.created_at),
    }
    details: Details = whole
    return details


def whose_turn(task: Task) -> Json:
    """What a status does not tell: that its work waits to be merged, or that it failed and is to be tried again."""
    return {
        **({"awaits": task.awaits} if task.awaits else {}),
        **({"retry": True} if task.retry and task.status == FAILED else {}),
    }


def _selected(ctx: Context, task: Task) -> int | None:
    session = ctx.ledger.find_one(Session, task.selected_session_id) if task.selected_session_id else None
    return session.number if session else None


def _more(ctx: Context, task: Task) -> Json:
    """What only some tasks have."""
    from deedlog.work.budget import spent  # lists do without
    from deedlog.work.commenting import feedback
    from deedlog.work.reading import usage_row
    from deedlog.work.setbacks import setbacks

    needed = [found for task_id in task.depends_on if (found := ctx.ledger.find_one(Task, task_id))]
    blocked = (ctx.ledger.find_one(Task, task_id) for task_id in task.blocks[:MOST_NAMED])
    held = is_held(task, ctx.now)
    return {
        "parentId": _number(ctx, task.parent_id, {}),
        "workflowId": task.workflow_id,
        "dependsOn": [other.number for other in needed],
        "waitingFor": [other.number for other in needed if other.status not in OVER] if task.waiting else [],
        "blocks": [other.number for other in blocked if other],
        "complexity": task.complexity,
        "areas": task.areas,
        "scope": task.scope,
        "checks": task.checks,
        "budget": task.budget,
        "usage": usage_row(spent(ctx, task)),
        "claimedBy": task.holder if held else "",
        "epoch": task.epoch,
        "leaseUntil": iso(task.lease_until) if held else "",
        "cancelReason": task.cancel_reason,
        "origin": task.origin,
        "sentBack": task.sent_back,
        "earlierWork": _earlier(ctx, task),
        "feedback": feedback(ctx, task),
        "setbacks": setbacks(ctx, task) if task.status not in OVER else [],
    }


def _earlier(ctx: Context, task: Task) -> Json:
    """Where the work is that a person sent back; the next worker finds it in its tree."""
    if not task.carries or task.status in OVER:
        return {}
    from deedlog.work.carrying import carried  # of most tasks nothing was sent back

    session = carried(ctx, task)
    return {"sessionId": session.number, "branch": session.branch} if session else {}


def _unfinished(ctx: Context, task: Task, known: dict[str, Task | None]) -> list[int]:
    """The first of the tasks that a task waits for."""
    numbers: list[int] = []
    for task_id in task.depends_on if task.waiting else ():
        if len(numbers) == min(task.waiting, MOST_LISTED):
            break
        other = _known(ctx, task_id, known)
        numbers += [other.number] if other and other.status not in OVER else []
    return numbers


def _number(ctx: Context, task_id: str, known: dict[str, Task | None]) -> int | None:
    found = _known(ctx, task_id, known) if task_id else None
    return found.number if found else None


def _known(ctx: Context, task_id: str, known: dict[str, Task | None]) -> Task | None:
    if task_id not in known:
        known[task_id] = ctx.ledger.find_one(Task, task_id)
    return known[task_id]
