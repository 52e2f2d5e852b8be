from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.moment import iso, seconds_between
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every


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
    answer: Read = {
        "workflow_id": workflow.id,
        "name": workflow.name,
        "description": workflow.description,
        "plan": workflow.plan,
        "status": workflow.status,
        "summary": workflow.summary,
        "created_at": iso(workflow.created_at),
        "duration_seconds": seconds_between(workflow.created_at, workflow.ended_at or ctx.now),
    }
    if workflow.ended_at is not None:
        answer["ended_at"] = iso(workflow.ended_at)
    statuses = [task.status for task in every(ctx.ledger, Task, {"workflow_id": workflow.id})]
    if statuses:
        answer["tasks"] = {status: statuses.count(status) for status in sorted(set(statuses))}
    return answer
