from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from deedlog.core.moment import iso, seconds_between
from deedlog.core.task import IN_PROGRESS, Task
from deedlog.core.workflow import Workflow, end
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.lookup import every, refuse_open, repeated


class Ended(TypedDict):
    workflow_id: str
    status: str
    ended_at: str
    duration_seconds: int


@operation(
    Effect.WRITE,
    capability="tracking",
    words="workflow complete",
    examples=("deedlog workflow complete wf-1j9x2k3m4n5p6q7r --summary 'All routes use JWT'",),
)
def complete_workflow(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("The workflow's id, as start_workflow returned it", min_length=1, max_length=80)],
    status: Annotated[Literal["completed", "partial", "failed"], Field("How it ended")] = "completed",
    summary: Annotated[str, Field("What was achieved, in two to four sentences", max_length=10_000)] = "",
) -> Ended:
    """End a workflow and record how it ended.

    Its tasks must be completed first. One whose tasks have all ended has ended by itself; this says how, in
    your words. Repeating the call with the same arguments returns the same answer; ending it otherwise is refused.
    """
    return repeated(lambda: _end(ctx, workflow_id, status, summary))


def _end(ctx: Context, workflow_id: str, status: str, summary: str) -> Ended:
    seen = ctx.ledger.head()
    before = ctx.ledger.get(Workflow, workflow_id)
    workflow = end(before, status, summary, ctx.now)
    where = {"workflow_id": workflow.id, "status": IN_PROGRESS}
    refuse_open(list(every(ctx.ledger, Task, where, oldest=True)), f"workflow {workflow.id!r} has open tasks")
    ended_at = workflow.ended_at or ctx.now
    answer: Ended = {
        "workflow_id": workflow.id,
        "status": workflow.status,
        "ended_at": iso(ended_at),
        "duration_seconds": seconds_between(workflow.created_at, ended_at),
    }
    values = [] if workflow == before else [workflow]
    return ctx.commit(*values, answer=answer, seen=Seen(subject=workflow.uri, seq=seen))
