from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import INTERNAL
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.importing import MOST, GivenMemory, GivenTask, Imported, Plan
from deedlog.work.lookup import repeated
from deedlog.work.memory_bank import export


@operation(
    Effect.WRITE,
    capability="supervision",
    callers=INTERNAL,
    examples=("deedlog task import beads --tasks '[]' --memories '[]'",),
)
def task_import(
    ctx: Context,
    *,
    tool: Annotated[str, Field("The tool it comes from", min_length=1, max_length=40)],
    tasks: Annotated[list[GivenTask], Field("Its tasks", max_items=MOST)],
    memories: Annotated[list[GivenMemory], Field("Its memory entries", max_items=MOST)],
) -> Imported:
    """Bring in what `deedlog import --from` read from another tool's files.

    What came before is updated where it is still as the last import left it. All of it is one op.
    """

    def attempt() -> Imported:
        plan = Plan(ctx, tool, tasks, memories)
        values = plan.values()
        return ctx.commit(*values, answer=plan.answer())

    answer = repeated(attempt)
    if memories and (warnings := export(ctx)):
        answer["warnings"] = [*answer.get("warnings", []), *warnings]
    return answer
