"""What subtasks did in other work trees, where their commits were then brought into the task's own."""

from __future__ import annotations

from itertools import islice

from deedlog.core.attribution import OWN
from deedlog.core.task import Session, Task
from deedlog.core.value import Value
from deedlog.work.lookup import every
from deedlog.work.reading import changes_of, files_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from deedlog.ports import Context

MOST_SUBTASKS = 200
MOST_FILES = 100_000


class Merged(Value):
    """The subtasks that changed each path, as `core.change.shown` writes it.

    `whole` is False where there were too many to look through.
    """

    tasks: dict[str, list[Task]]
    whole: bool = True


def merged(ctx: Context, task: Task, session: Session, paths: Collection[str], here: Collection[str]) -> Merged:
    """Who of the tasks under `task` changed `paths` elsewhere while it was at work.

    `here` are the ids of the sessions in its own tree, of which the tree itself tells.
    """
    found: dict[str, list[Task]] = {}
    room = MOST_FILES
    under = list(islice(_under(ctx, task), MOST_SUBTASKS + 1)) if paths else []
    for subtask in under[:MOST_SUBTASKS]:
        for other in every(ctx.ledger, Session, {"task_id": subtask.id}):
            if other.id in here or (other.end_snapshot_at or 0) <= session.snapshot_at:
                continue
            room -= files_of(other)
            if room < 0:
                return Merged(tasks=found, whole=False)
            changed = {row["path"] for row in changes_of(ctx, other) if row["by"] == OWN}
            for path in changed.intersection(paths):
                found.setdefault(path, []).append(subtask)
    return Merged(tasks=found, whole=len(under) <= MOST_SUBTASKS)


def _under(ctx: Context, task: Task) -> Iterator[Task]:
    """The tasks that are a part of it, the nearest first."""
    waiting, known = [task], {task.id}
    while waiting:
        for child in every(ctx.ledger, Task, {"parent_id": waiting.pop(0).id}, oldest=True):
            if child.id not in known:
                known.add(child.id)
                waiting.append(child)
                yield child
