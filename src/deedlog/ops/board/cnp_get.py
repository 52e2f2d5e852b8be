from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.core.task import Task
from deedlog.core.team import Tender
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.tenders import Call, call_row, last_tender


@operation(Effect.READ, capability="cnp", callers=ANYONE, examples=("deedlog cnp get task-5",))
def cnp_get(
    ctx: Context, *, task_id: Annotated[str, Field("The task, or a call_id", min_length=1, max_length=80)]
) -> Call:
    """Who bid for an announced task and who was awarded it: open, awarded or completed.

    Of a task that was announced again it tells the last time, unless a call_id says which.
    """
    called = ctx.ledger.find_one(Tender, task_id)
    task = ctx.ledger.get(Task, called.task_id if called else task_id)
    tender = called or last_tender(ctx, task)
    if tender is None:
        raise NotFound(f"{task.ref} was not announced", hint="cnp_announce does so", data={"task_id": task.ref})
    return call_row(tender, task)
