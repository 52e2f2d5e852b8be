"""What a task waits for: who may wait for whom, and both sides of it."""

from __future__ import annotations

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.task import Task
from deedlog.work.lookup import above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.ports import Context

MOST_NAMED = 10  # tasks of a circle
MOST_PATH = 1_000


def named(ctx: Context, numbers: Iterable[int]) -> list[Task]:
    """The tasks with these numbers, each once."""
    return [ctx.ledger.get(Task, str(number)) for number in dict.fromkeys(numbers)]


def refuse_whole(ctx: Context, task: Task, needed: Iterable[Task], field: str) -> None:
    """Refuse that a part waits for the whole: that ends only after its parts."""
    over_it = above(ctx.ledger, task, {})
    for other in needed:
        if other.id in over_it:
            raise Invalid(
                f"{field}: {task.ref if task.number else 'the task'} is a part of {other.ref} and cannot wait for it",
                hint="a task with subtasks is completed after them",
                data={"field": field, "task_id": other.ref},
            )


def refuse_cycle(ctx: Context, task: Task, needed: Iterable[Task]) -> list[Task]:
    """Refuse to let `task` wait for tasks that wait for it, naming the way; returns all they wait for."""
    known: dict[str, Task] = {}
    for other in needed:
        if way := _way(ctx, other, task, known):
            path = [task, *way]
            told = [found.ref for found in path]
            if len(path) > MOST_NAMED:
                told[MOST_NAMED // 2 : -MOST_NAMED // 2] = ["…"]
            raise Conflict(
                f"{task.ref} cannot wait for {other.ref}, which waits for it: {' → '.join(told)}",
                hint="remove one of these dependencies first",
                data={"task_id": task.ref, "path": [found.number for found in path[:MOST_PATH]]},
            )
    return list(known.values())


def _way(ctx: Context, start: Task, end: Task, known: dict[str, Task]) -> list[Task]:
    """The tasks from `start` to `end` along what each waits for; empty where there is no way."""
    before: dict[str, Task | None] = {start.id: None}
    waiting = [start]
    while waiting:
        task = waiting.pop()
        if task.id == end.id:
            way = [task]
            while previous := before[way[-1].id]:
                way.append(previous)
            return way[::-1]
        if task.id in known:
            continue  # looked through for another one already
        known[task.id] = task
        for task_id in task.depends_on:
            if task_id not in before and (found := ctx.ledger.find_one(Task, task_id)):
                before[task_id] = task
                waiting.append(found)
    return []


def blocking(other: Task, task_id: str) -> Task:
    """`other` as it is once the task waits for it."""
    return other if task_id in other.blocks else other.replace(blocks=[*other.blocks, task_id])


def not_blocking(other: Task, task_id: str) -> Task:
    return other.replace(blocks=[waiting for waiting in other.blocks if waiting != task_id])
