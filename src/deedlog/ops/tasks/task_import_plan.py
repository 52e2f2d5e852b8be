from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import INTERNAL
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.importing import MOST, GivenMemory, GivenTask, Imported, Plan


@operation(
    Effect.READ,
    capability="supervision",
    callers=INTERNAL,
    examples=("deedlog task import-plan beads --tasks '[]' --memories '[]'",),
)
def task_import_plan(
    ctx: Context,
    *,
    tool: Annotated[str, Field("The tool it comes from", min_length=1, max_length=40)],
    tasks: Annotated[list[GivenTask], Field("Its tasks", max_items=MOST)],
    memories: Annotated[list[GivenMemory], Field("Its memory entries", max_items=MOST)],
) -> Imported:
    """Tell what task_import would do, and do nothing."""
    return Plan(ctx, tool, tasks, memories).answer()
