from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import limits as bounds
from deedlog.core.caller import ANYONE
from deedlog.core.child import is_over
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.task import Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_rows import find_child, kept_limits, snapshot
from deedlog.work.lookup import repeated


class Limited(TypedDict):
    child_id: str
    limits: dict[str, float]
    not_enforced: NotRequired[dict[str, str]]
    index_snapshot: dict[str, Any]
    op_id: str


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    examples=("deedlog child set-limits session-12 '{\"wallclock_ms\": 60000}'",),
)
def child_set_limits(
    ctx: Context,
    *,
    child_id: ChildId,
    limits: Annotated[dict[str, Any], Field(f"Time counts from its start: {bounds.NAMES}")],
) -> Limited:
    """Change what a child may use, also while it runs: its supervisor keeps it to that from then on.

    What nothing can keep it to is told as not_enforced. Memory is per process and takes back nothing.
    """
    checked = bounds.checked(limits)
    if not checked:
        raise Invalid("limits: name at least one", hint=f"known: {bounds.NAMES}", data={"field": "limits"})
    session: Session | None = None

    def attempt() -> Limited:
        nonlocal session
        before = find_child(ctx, child_id)
        _refuse(ctx, before, checked)
        session = bounds.limited(before, checked)
        answer: Limited = {
            "child_id": session.ref,
            "limits": kept_limits(ctx, session),
            "index_snapshot": snapshot(ctx, session),
            "op_id": ctx.op_id,
        }
        if refused := bounds.not_enforced(checked):
            answer["not_enforced"] = refused
        return ctx.commit(session, answer=answer)

    answer = repeated(attempt)
    if session and session.process:
        ctx.workers.wake(session.process)
    return answer


def _refuse(ctx: Context, session: Session, limits: dict[str, float]) -> None:
    if is_over(session):
        raise Conflict(
            f"{session.ref} is {session.status}: it has no use for limits",
            hint="child_spawn starts another",
            data={"child_id": session.ref, "status": session.status},
        )
    budget = ctx.ledger.get(Task, session.task_id).budget
    for name, own in bounds.BUDGET.items():
        if name in limits and own in budget and limits[name] > budget[own]:
            raise Conflict(
                f"limits.{name}: the budget of its task is {budget[own]:g}",
                hint="raise the budget of the task with task_update",
                data={"code": "E-CHILD-LIMIT", "field": f"limits.{name}"},
            )
