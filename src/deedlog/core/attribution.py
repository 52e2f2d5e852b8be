"""Whose a change is, where several tasks work in one tree at the same time.

The snapshots at the start and end of every session part time into intervals, and in each interval
some tasks are at work. Who changed a path in it is known where one is; a task that works under
another stands before it; where several are left, the one that declared an area for the path. Else
the change is shared, and said to be: nobody is blamed for what somebody else may have done.
"""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deedlog.core.task import Session

OWN, SUBTASK, SHARED, OTHER = "task", "subtask", "shared", "other"


class Worker(Value):
    """A task at work in a tree, from one snapshot to another; `until` is None while it goes on."""

    task_id: str
    above: list[str] = []  # noqa: RUF012  # the tasks it is a part of
    since: int
    until: int | None = None

    def during(self, start: int, end: int) -> bool:
        """Whether it was at work in any part of a time."""
        return self.since < end and (self.until is None or self.until > start)


class Owner(Value):
    """Whose one path is, seen from one task: its own, a subtask's, shared with others, others'.

    `itself` is False of a shared one that only tasks under it, not the task itself, may have changed.
    """

    by: str
    itself: bool = True
    others: list[str] = []  # noqa: RUF012  # the other tasks' ids


class Boundary(Value):
    """A moment at which a session of the tree started or ended, and its snapshot."""

    at: int
    snapshot_id: str
    session_id: str


def boundaries(sessions: Iterable[Session]) -> list[Boundary]:
    """Every start and end, in the order of time."""
    found = []
    for session in sessions:
        found.append(Boundary(at=session.snapshot_at, snapshot_id=session.snapshot_id, session_id=session.id))
        if session.end_snapshot_id and session.end_snapshot_at is not None:
            at, snapshot_id = session.end_snapshot_at, session.end_snapshot_id
            found.append(Boundary(at=at, snapshot_id=snapshot_id, session_id=session.id))
    return sorted(found, key=lambda boundary: (boundary.at, boundary.snapshot_id))


def between(sessions: Iterable[Session], start: int, end: int) -> list[Boundary]:
    """The boundaries that fall into a time."""
    return [boundary for boundary in boundaries(sessions) if start < boundary.at < end]


def overlaps(session: Session, other: Session) -> bool:
    """Whether `other` was at work in the same tree after `session` had started."""
    if other.id == session.id or other.tree != session.tree:
        return False
    return other.end_snapshot_at is None or other.end_snapshot_at > session.snapshot_at


def needed(running: Sequence[Session], sessions: Iterable[Session]) -> list[str]:
    """The snapshots that the end of the running ones will ask for: every boundary since the first of them started."""
    if not running:
        return []
    first = min(session.snapshot_at for session in running)
    return [boundary.snapshot_id for boundary in boundaries(sessions) if boundary.at >= first]


def owner(
    path: str,
    task_id: str,
    active: Iterable[Sequence[Worker]],
    declares: Callable[[str, str], bool],
) -> Owner:
    """Whose a path is for a task, given who was at work in each interval in which it changed.

    `declares` says whether a task declared an area for a path.
    """
    found: dict[str, Worker] = {}
    for workers in active:
        found |= {worker.task_id: worker for worker in _likely(path, workers, declares)}
    below = sorted(worker.task_id for worker in found.values() if task_id in worker.above)
    outside = sorted(found.keys() - {task_id, *below})
    if not outside:
        return Owner(by=OWN) if task_id in found else Owner(by=SUBTASK, others=below)
    if task_id in found or below:
        return Owner(by=SHARED, itself=task_id in found, others=outside)
    return Owner(by=OTHER, others=outside)


def _likely(path: str, active: Sequence[Worker], declares: Callable[[str, str], bool]) -> list[Worker]:
    """Who may have changed a path while `active` were at work."""
    above = {task_id for worker in active for task_id in worker.above}
    innermost = [worker for worker in active if worker.task_id not in above]
    if len({worker.task_id for worker in innermost}) > 1:
        declared = [worker for worker in innermost if declares(worker.task_id, path)]
        if len({worker.task_id for worker in declared}) == 1:
            return declared
    return innermost


def intervals_of(touched: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """In which intervals each path changed."""
    found: dict[str, list[int]] = {}
    for place, paths in enumerate(touched):
        for path in paths:
            found.setdefault(path, []).append(place)
    return found
