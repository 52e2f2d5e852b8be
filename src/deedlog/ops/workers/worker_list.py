from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.page import fitting
from deedlog.core.task import QUEUED, RUNNING, Session
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.trees import merged_elsewhere, sessions_of_trees
from deedlog.work.worker_rows import AT_WORK, worker_row


class Listed(TypedDict):
    workers: list[dict[str, Any]]
    maxWorkers: int
    more: NotRequired[bool]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    columns=(
        "sessionId",
        "taskId",
        "title",
        "agent",
        "status",
        "awaits",
        "seconds",
        "filesChanged",
        "merged",
        "lastLine",
    ),
    examples=("deedlog worker list",),
)
def worker_list(ctx: Context) -> Listed:
    """List workers: those that run, those that are queued, and ended ones whose work waits to be merged."""
    at_work = [s for status in (RUNNING, QUEUED) for s in every(ctx.ledger, Session, {"status": status}, oldest=True)]
    waiting = [session for session in sessions_of_trees(ctx) if session.status not in AT_WORK]
    rows = [worker_row(ctx, session) for session in at_work if session.worktree]
    rows += [worker_row(ctx, session) | _merged(ctx, session) for session in waiting]
    fit = fitting(rows)
    answer: Listed = {"workers": fit, "maxWorkers": ctx.settings["max_workers"]}
    return answer if len(fit) == len(rows) else {**answer, "more": True}


def _merged(ctx: Context, session: Session) -> dict[str, str]:
    how = merged_elsewhere(ctx, session)
    return {"merged": how} if how else {}
