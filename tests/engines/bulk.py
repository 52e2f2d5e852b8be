"""A test-only operation that writes several things at once: all of them, or none."""

from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

SIZE = 4


class Begun(TypedDict):
    workflow_ids: list[str]


@operation(Effect.WRITE, capability="bulk", words="bulk start")
def bulk_start(ctx: Context, *, name: Annotated[str, Field("What they are called")]) -> Begun:
    """Start several workflows at once."""
    made = [Workflow(id=ctx.new_id("wf"), name=name, created_at=ctx.now) for _ in range(SIZE)]
    answer: Begun = {"workflow_ids": [workflow.id for workflow in made]}
    return ctx.commit(*made, answer=answer)
