"""What an undo brings back, with what follows from it now: much may have happened since."""

from __future__ import annotations

from deedlog.core.queue import queued
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.work.board import unfinished, waiting_anew, workflows_after
from deedlog.work.dependency import refuse_cycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.value import Entity
    from deedlog.ports import Context, Gone


def followed(ctx: Context, values: Sequence[Entity | Gone]) -> list[Entity | Gone]:
    """`values` as they are to be committed, and what changes with them."""
    tasks = {value.id: value for value in values if isinstance(value, Task)}
    now = [_waiting_now(ctx, tasks, value) if isinstance(value, Task) else value for value in values]
    found = [*now, *waiting_anew(ctx, now)]
    workflows = {workflow.id: workflow for workflow in workflows_after(ctx, found)}
    kept = [value for value in found if not (isinstance(value, Workflow) and value.id in workflows)]
    return [*kept, *workflows.values()]


def _waiting_now(ctx: Context, tasks: dict[str, Task], task: Task) -> Task:
    return queued(task.replace(waiting=unfinished(ctx, task.depends_on, *tasks.values())))


def waiting_for(values: Sequence[Entity | Gone]) -> list[str]:
    """The URIs of the tasks whose place in the queue follows from what comes back."""
    ids = {task_id for value in values if isinstance(value, Task) for task_id in value.blocks}
    return [f"{Task.kind}://{task_id}" for task_id in sorted(ids)]


def refuse_circles(ctx: Context, values: Sequence[Entity | Gone]) -> list[str]:
    """Refuse dependencies that would close a circle now; returns the URIs of the tasks this rests on."""
    walked: list[str] = []
    for task in values:
        before = ctx.ledger.find_one(Task, task.id) if isinstance(task, Task) else None
        if isinstance(task, Task) and before:
            again = [task_id for task_id in task.depends_on if task_id not in before.depends_on]
            needed = [other for task_id in again if (other := ctx.ledger.find_one(Task, task_id))]
            walked += [other.uri for other in refuse_cycle(ctx, task, needed)]
    return walked
