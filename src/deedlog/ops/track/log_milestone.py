from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.remark import Milestone
from deedlog.core.task import Task, fitting
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import about_remark

MOST = 5


class Logged(TypedDict):
    milestone_id: str
    created_at: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="milestone log",
    everyday=5,
    examples=("deedlog milestone log task-5 'Running tests...' --progress 75",),
)
def log_milestone(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    message: Annotated[str, Field("Short message (e.g., 'Running tests...')", min_length=1, max_length=500)],
    progress: Annotated[float | None, Field("Estimated progress (0-100)", minimum=0, maximum=100)] = None,
    metadata: Annotated[dict[str, Any] | None, Field("Optional additional data", rare=True)] = None,
) -> Logged:
    """Log a milestone for real-time UI updates.

    At most 5 for each task; people watch them to see how far the work is.
    """
    task = ctx.ledger.get(Task, task_id)
    milestone = Milestone(
        id=ctx.new_id("ms"),
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        created_at=ctx.now,
        message=message,
        progress=progress,
        metadata=fitting("metadata", metadata or {}),
    )
    answer: Logged = {"milestone_id": milestone.id, "created_at": iso(ctx.now)}
    if warnings := about_remark(ctx, task, Milestone, MOST):
        answer["warnings"] = warnings
    return ctx.commit(milestone, answer=answer)
