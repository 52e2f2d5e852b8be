"""Tasks of a workflow as nodes of its run, those too that came while it runs."""

from __future__ import annotations

from deedlog.core.plan.values import ON_SETTLED, OVER
from deedlog.work.runs import node_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from deedlog.core.run import Node, Run
    from deedlog.core.task import Task

    Json = dict[str, Any]

FOLLOW = "follow"


def specs_of(tasks: Iterable[Task]) -> list[Json]:
    """The nodes that tasks are in a run; they wait for each other as the tasks do."""
    listed = list(tasks)
    names = {task.id: name_of(task) for task in listed}
    return [{"name": names[task.id], "task_id": task.id, "after": after_of(task, names)} for task in listed]


def name_of(task: Task) -> str:
    return task.node or task.ref


def after_of(task: Task, names: Mapping[str, str]) -> list[Json]:
    """Nobody waits for a task that was cancelled."""
    return [{"node": names[other], "on": ON_SETTLED} for other in task.depends_on if other in names]


def joined_since(run: Run, nodes: list[Node], tasks: Mapping[str, Task], now: int) -> list[Node]:
    """The nodes of a run with those of tasks that came since, and with what each task waits for now."""
    if not run.options.get(FOLLOW):
        return nodes
    names = {node.task_id: node.name for node in nodes if node.task_id}
    used = {node.name for node in nodes}
    new = [task for task in tasks.values() if task.id not in names]
    for task in new:
        names[task.id] = name_of(task) if name_of(task) not in used else task.id
        used.add(names[task.id])
    since = [_with_after(node, tasks, names) for node in nodes]
    added = [
        node_of(run, {"name": names[task.id], "task_id": task.id, "after": after_of(task, names)}, now + place)
        for place, task in enumerate(new)
    ]
    return [*since, *added]


def _with_after(node: Node, tasks: Mapping[str, Task], names: Mapping[str, str]) -> Node:
    task = tasks.get(node.task_id)
    if task is None or node.state in OVER:
        return node
    after = after_of(task, names)
    return node if after == node.after else node.replace(after=after)
