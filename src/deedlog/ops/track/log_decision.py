from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.remark import Decision
from deedlog.core.task import Task, fitting
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.deciding import judged
from deedlog.work.lookup import about_remark

MOST = 3


class Logged(TypedDict):
    decision_id: str
    created_at: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="decision log",
    everyday=3,
    examples=("deedlog decision log task-5 library_choice 'Which library?' jose 'It is typed'",),
)
def log_decision(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    category: Annotated[
        Literal["architecture", "library_choice", "trade_off", "workaround", "other"], Field("What it is about")
    ],
    question: Annotated[
        str, Field("The decision question (e.g., 'Which auth library to use?')", min_length=1, max_length=2_000)
    ],
    options_considered: Annotated[
        list[str] | None, Field("Options evaluated (e.g., ['NextAuth', 'Clerk', 'Custom'])", max_items=20)
    ] = None,
    chosen: Annotated[str, Field("Chosen option", min_length=1, max_length=2_000)],
    reasoning: Annotated[str, Field("Why this choice (1-2 sentences)", min_length=1, max_length=5_000)],
    trade_offs: Annotated[str | None, Field("Accepted compromises (optional)", max_length=5_000)] = None,
) -> Logged:
    """Log an important architectural decision.

    At most 3 for each task: only what somebody will ask about later, never the obvious.
    """
    task = ctx.ledger.get(Task, task_id)
    decision = Decision(
        id=ctx.new_id("dec"),
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        created_at=ctx.now,
        category=category,
        question=question,
        options_considered=fitting("options_considered", options_considered or []),
        chosen=chosen,
        reasoning=reasoning,
        trade_offs=trade_offs or "",
    )
    decision, told = judged(ctx, decision)
    answer: Logged = {"decision_id": decision.id, "created_at": iso(ctx.now)}
    if warnings := [*about_remark(ctx, task, Decision, MOST), *told]:
        answer["warnings"] = warnings
    return ctx.commit(decision, answer=answer)
