from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.queue import queued
from deedlog.core.task import CANCELLED, DONE, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.board import unfinished
from deedlog.work.dependency import blocking, named, not_blocking, refuse_cycle, refuse_whole
from deedlog.work.lookup import repeated
from deedlog.work.task_inputs import MOST_TASKS, TaskId


class Depends(TypedDict):
    id: int
    dependsOn: list[int]
    waitingFor: list[int]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    examples=("deedlog task depend 7 --add 5 --add 6", "deedlog task depend 7 --remove 5"),
)
def task_depend(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    add: Annotated[list[TaskId] | None, Field("Tasks to do first", max_items=MOST_TASKS)] = None,
    remove: Annotated[list[TaskId] | None, Field("Not any more", max_items=MOST_TASKS)] = None,
) -> Depends:
    """Change which tasks a task waits for."""
    if not add and not remove:
        raise Invalid("neither add nor remove names a task", hint="give the numbers of tasks")
    if both := set(add or []) & set(remove or []):
        refs = ", ".join(f"task-{number}" for number in sorted(both))
        raise Invalid(f"remove: {refs} is to be added, too", data={"field": "remove"})
    return repeated(lambda: _depend(ctx, id, add or [], remove or []))


def _depend(ctx: Context, number: int, add: list[int], remove: list[int]) -> Depends:
    seen = ctx.ledger.head()
    before = ctx.ledger.get(Task, str(number))
    removed = [other for other in named(ctx, remove) if other.id in before.depends_on]
    kept = [task_id for task_id in before.depends_on if task_id not in {other.id for other in removed}]
    added = [other for other in named(ctx, add) if other.id not in kept]
    _check(before, added, len(kept) + len(added))
    refuse_whole(ctx, before, added, "add")
    walked = refuse_cycle(ctx, before, added)
    depends_on = [*kept, *(other.id for other in added)]
    task = queued(before.replace(depends_on=depends_on, waiting=unfinished(ctx, depends_on, *added)))
    answer = _answer(ctx, task, added)
    if task == before:
        return answer
    # others may let what was walked through wait for this one at the same moment, without touching this one
    about = Seen(subject=task.uri, seq=seen, more=[other.uri for other in walked])
    return ctx.commit(
        task.replace(updated_at=ctx.now),
        *(blocking(other, task.id) for other in added),
        *(not_blocking(other, task.id) for other in removed),
        answer=answer,
        seen=about if added else None,
    )


def _check(task: Task, added: list[Task], count: int) -> None:
    if any(other.id == task.id for other in added):
        raise Invalid(f"add: {task.ref} cannot wait for itself", data={"field": "add"})
    if count > MOST_TASKS:
        raise Invalid(f"add: a task waits for at most {MOST_TASKS} others", data={"field": "add"})


def _answer(ctx: Context, task: Task, known: list[Task]) -> Depends:
    tasks = {other.id: other for other in known}
    found = [tasks.get(task_id) or ctx.ledger.find_one(Task, task_id) for task_id in task.depends_on]
    needed = [other for other in found if other]
    return {
        "id": task.number,
        "dependsOn": [other.number for other in needed],
        "waitingFor": [other.number for other in needed if other.status not in (DONE, CANCELLED)],
    }
