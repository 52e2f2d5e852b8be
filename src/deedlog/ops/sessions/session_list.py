from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.task import Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.session_rows import session_row

MOST_LOOKED_AT = 2_000  # for one page, where sessions are told apart by what no index has


class Row(TypedDict):
    id: int
    taskId: int
    agent: Any
    status: str
    startedAt: str
    endedAt: Any
    durationMs: int
    exitCode: Any
    dodResult: str
    sessionGroupId: Any
    branch: NotRequired[str]
    worktree: NotRequired[str]
    result: NotRequired[str]
    sentBack: NotRequired[bool]


class Listed(TypedDict):
    sessions: list[Row]
    nextCursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    columns=("id", "taskId", "status", "agent", "durationMs", "startedAt"),
    examples=("deedlog session list", "deedlog session list task-5 --status running --json"),
)
def session_list(
    ctx: Context,
    *,
    task_id: Annotated[int | None, Field("Of this task", minimum=1)] = None,
    status: Annotated[Literal["queued", "running", "completed", "failed", "cancelled"] | None, Field("Status")] = None,
    agent: Annotated[str | None, Field("Of this agent", max_length=80)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 20,
    cursor: Annotated[str | None, Field("nextCursor of the page before", max_length=400)] = None,
) -> Listed:
    """List sessions, newest first."""
    task = ctx.ledger.get(Task, str(task_id)) if task_id else None
    where = {**({"task_id": task.id} if task else {}), **({"status": status} if status else {})}
    found, looked_at = _found(ctx, where, agent, limit, page.opened(cursor))
    tasks = {task.id: task} if task else {}
    rows: Any = page.fitting([session_row(ctx, session, _task(ctx, session, tasks)) for session in found[:limit]])
    if len(rows) < len(found):
        return {"sessions": rows, "nextCursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}
    if looked_at is not None:
        return {"sessions": rows, "nextCursor": page.cursor(looked_at)}
    return {"sessions": rows}


def _found(
    ctx: Context, where: dict[str, str], agent: str | None, limit: int, before: page.Key | None
) -> tuple[list[Session], page.Key | None]:
    """One more than is asked for, if there are; and where to go on if looking for them was given up."""
    if agent is None:
        return ctx.ledger.find(Session, where, limit=limit + 1, before=before), None
    found: list[Session] = []
    for _ in range(MOST_LOOKED_AT // limit + 1):
        some = ctx.ledger.find(Session, where, limit=limit + 1, before=before)
        found += [session for session in some if session.agent == agent]
        if len(found) > limit or len(some) <= limit:
            return found, None
        before = ctx.ledger.sort_key(some[-1])
    return found, before


def _task(ctx: Context, session: Session, known: dict[str, Task]) -> Task:
    if session.task_id not in known:
        known[session.task_id] = ctx.ledger.get(Task, session.task_id)
    return known[session.task_id]
