from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.reading import workflow_row


class Read(TypedDict):
    workflow_id: str
    name: str
    description: str
    plan: list[dict[str, Any]]
    status: str
    summary: str
    created_at: str
    ended_at: NotRequired[str]
    duration_seconds: int
    tasks: NotRequired[dict[str, int]]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    resource="workflow://{workflow_id}",
    listed_by="workflow_list",
    examples=("deedlog workflow get wf-1j9x2k3m4n5p6q7r",),
)
def workflow_get(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("The workflow's id, as start_workflow returned it", min_length=1, max_length=80)],
) -> Read:
    """Read one workflow: its goal, plan, status, how long it has taken and how many tasks it has."""
    workflow = ctx.ledger.get(Workflow, workflow_id)
    row: Any = workflow_row(ctx, workflow, every(ctx.ledger, Task, {"workflow_id": workflow.id}))
    found: Read = row
    return found
