from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.task_inputs import TaskId
from deedlog.work.task_rows import Details, task_details


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    settles=True,
    alias="task show",
    resource="task://{id}",
    resource_name="Task #{id}",
    resource_about="Task details for #{id}",
    listed_by="task_list",
    examples=("deedlog task get 5", "deedlog task get task-5 --json"),
)
def task_get(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    offset: Annotated[int, Field("nextOffset, in a long description", minimum=0, rare=True)] = 0,
) -> Details:
    """Get task details; session_list has its attempts."""
    return task_details(ctx, ctx.ledger.get(Task, str(id)), offset)
