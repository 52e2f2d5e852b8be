"""What a task has cost, and what its next session may cost."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.moment import SECOND
from deedlog.core.task import Session, Task
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.ports import Context

TOKENS, COST, MINUTES = "tokens", "cost", "minutes"
MINUTE = 60 * SECOND


def spent(ctx: Context, task: Task) -> dict[str, float]:
    """What the sessions of a task used, all together; nothing where none of them told."""
    return summed(every(ctx.ledger, Session, {"task_id": task.id}), ctx.now)


def summed(sessions: Iterable[Session], now: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for session in sessions:
        used = {**session.usage, **({MINUTES: _minutes(session, now)} if session.process else {})}
        for name, number in used.items():
            found[name] = round(found.get(name, 0) + number, 6)
    return found


def _minutes(session: Session, now: int) -> float:
    return max(0, (session.ended_at or now) - session.started_at) / MINUTE


def allowance(ctx: Context, task: Task, *more: Mapping[str, float], attempts: int = 1) -> dict[str, float]:
    """What a session may cost: its share of what is left of the task's budget, or less where `more` budgets say so."""
    left: dict[str, float] = {}
    if task.budget:
        used = spent(ctx, task)
        left = {name: round(most - used.get(name, 0), 6) for name, most in task.budget.items()}
        if over := sorted(name for name, number in left.items() if number <= 0):
            raise Conflict(
                f"the budget of {task.ref} is used up: {', '.join(over)}",
                hint="raise the budget of the task with task_update",
                data={"task_id": task.number, "budget": task.budget, "used": used},
            )
        left = {name: round(number / attempts, 6) for name, number in left.items()}
    for budget in more:
        left |= {name: min(most, left.get(name, most)) for name, most in budget.items()}
    return left
