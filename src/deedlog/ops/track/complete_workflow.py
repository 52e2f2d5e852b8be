from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso, seconds_between
from deedlog.core.task import IN_PROGRESS
from deedlog.core.workflow import Workflow, end
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.lookup import refuse_open, repeated, unfinished_tasks

MOST_NAMED = 20


class Ended(TypedDict):
    workflow_id: str
    status: str
    ended_at: str
    duration_seconds: int
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="workflow complete",
    examples=("deedlog workflow complete wf-1j9x2k3m4n5p6q7r --summary 'All routes use JWT'",),
)
def complete_workflow(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("Workflow ID", min_length=1, max_length=80)],
    status: Annotated[Literal["completed", "partial", "failed"], Field("How it ended")] = "completed",
    summary: Annotated[str, Field("What was achieved (in two to four sentences)", max_length=10_000)] = "",
) -> Ended:
    """End a workflow and record how it ended.

    Its tasks must be completed first. One whose tasks have all ended has ended by itself; this says how, in
    your words. Repeating the call returns the same answer; ending it otherwise is refused.
    """
    return repeated(lambda: _end(ctx, workflow_id, status, summary))


def _end(ctx: Context, workflow_id: str, status: str, summary: str) -> Ended:
    seen = ctx.ledger.head()
    before = ctx.ledger.get(Workflow, workflow_id)
    workflow = end(before, status, summary, ctx.now)
    left = unfinished_tasks(ctx.ledger, {"workflow_id": workflow.id})
    at_work = [task for task in left if task.status == IN_PROGRESS]
    # to end it before everything was begun is a plain way to fail, or to be content with a part
    refuse_open(left if status == "completed" else at_work, f"workflow {workflow.id!r} has open tasks")
    ended_at = workflow.ended_at or ctx.now
    answer: Ended = {
        "workflow_id": workflow.id,
        "status": workflow.status,
        "ended_at": iso(ended_at),
        "duration_seconds": seconds_between(workflow.created_at, ended_at),
    }
    if left:
        refs = ", ".join(task.ref for task in left[:MOST_NAMED])
        answer["warnings"] = [f"{len(left)} planned tasks are still open: {refs}; task_cancel cancels them"]
    values = [] if workflow == before else [workflow]
    return ctx.commit(*values, answer=answer, seen=Seen(subject=workflow.uri, seq=seen))
