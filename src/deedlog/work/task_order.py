"""Tasks in the order of their tree."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.task import Task


def in_tree_order(tasks: list[Task]) -> Iterator[tuple[Task, int]]:
    """Each task before those under it, with its depth; one whose parent is not here stands at the top."""
    known = {task.id for task in tasks}
    under: dict[str, list[Task]] = {}
    for task in tasks:
        under.setdefault(task.parent_id if task.parent_id in known else "", []).append(task)
    waiting = [(task, 0) for task in reversed(under.get("", []))]
    while waiting:
        task, depth = waiting.pop()
        yield task, depth
        waiting += [(child, depth + 1) for child in reversed(under.get(task.id, []))]
