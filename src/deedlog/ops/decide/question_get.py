from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.core.remark import Review
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.questions import QuestionRow, question_row, wait_for_answer


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    waits="wait_seconds",
    examples=("deedlog question get rev-1j9x2k3m4n5p6q7r --wait-seconds 600",),
)
def question_get(
    ctx: Context,
    *,
    question_id: Annotated[str, Field("The id that question_ask returned", min_length=1, max_length=80)],
    task_id: Annotated[str | None, Field("The task that it is about", max_length=80, rare=True)] = None,
    wait_seconds: Annotated[float, Field("Wait at most this long for an answer", minimum=0, maximum=600)] = 0,
) -> QuestionRow:
    """Read a question and the answer of a person, or wait for the answer."""
    found = ctx.ledger.get(Review, question_id)
    if task_id and found.task_id != ctx.ledger.get(Task, task_id).id:
        raise NotFound(f"there is no question {question_id!r} on {task_id}", data={"question_id": question_id})
    return question_row(wait_for_answer(ctx, question_id, wait_seconds))
