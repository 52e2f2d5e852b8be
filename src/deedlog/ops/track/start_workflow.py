from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.workflow import Workflow, fitting_plan
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class PlanStep(TypedDict):
    step: Annotated[str, Field("Name or number of the step", min_length=1, max_length=200)]
    goal: Annotated[str, Field("What this step achieves", min_length=1, max_length=2000)]


class Started(TypedDict):
    workflow_id: str
    created_at: str


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="workflow start",
    everyday=1,
    examples=(
        "deedlog workflow start 'Add authentication' --description 'JWT for the public API'",
        """deedlog workflow start 'Move to v5' --plan '[{"step": "1", "goal": "Install it"}]'""",
    ),
)
def start_workflow(
    ctx: Context,
    *,
    name: Annotated[str, Field("Short workflow name (e.g., 'Auth system refactor')", min_length=1, max_length=200)],
    description: Annotated[str | None, Field("Detailed description of the workflow goal", max_length=10_000)] = None,
    plan: Annotated[list[PlanStep] | None, Field("Optional implementation plan as steps", max_items=100)] = None,
) -> Started:
    """Initialize a new workflow tracking session.

    Call it once at the start of a piece of work; the workflow_id it returns holds the tasks together.
    """
    workflow = Workflow(
        id=ctx.new_id("wf"),
        name=name,
        description=description or "",
        plan=fitting_plan([dict(step) for step in plan or []]),
        created_at=ctx.now,
    )
    answer: Started = {"workflow_id": workflow.id, "created_at": iso(workflow.created_at)}
    return ctx.commit(workflow, answer=answer)
