"""The columns of the board: in which of them a task stands, and where a person may put it."""

from __future__ import annotations

from deedlog.core.attention import LEASE
from deedlog.core.queue import BLOCKED, CLAIMED, HUMAN, place_of
from deedlog.core.task import CANCELLED, DONE, FAILED, IN_PROGRESS, OPEN, PRIORITIES, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

READY, REVIEW = "ready", "review"
COLUMNS = (READY, BLOCKED, IN_PROGRESS, REVIEW, DONE, FAILED, CANCELLED)
PLACES = tuple(place for priority in PRIORITIES for place in (priority, place_of(priority, HUMAN)))
WHERE: Mapping[
    str, tuple[Mapping[str, str], ...]
] = {  # what the tasks of a column have in common, the most urgent first
    READY: tuple({"queue": place} for place in PLACES),
    BLOCKED: ({"queue": BLOCKED},),
    IN_PROGRESS: (
        {"status": IN_PROGRESS},
        {"status": OPEN, "queue": CLAIMED},
        {"status": FAILED, "queue": CLAIMED},
    ),
    DONE: ({"status": DONE},),
    FAILED: ({"status": FAILED, "queue": ""},),
    CANCELLED: ({"status": CANCELLED},),
}
OLDEST_FIRST = (READY, BLOCKED)


def column_of(task: Task) -> str:
    """Where it stands while nobody has to look at it. What failed and is to be tried again is in the queue."""
    if task.status in (OPEN, FAILED) and task.queue:
        return BLOCKED if task.queue == BLOCKED else IN_PROGRESS if task.queue == CLAIMED else READY
    return task.status if task.status != OPEN else READY


def moves(task: Task, column: str, attention: str = "") -> dict[str, str]:
    """The columns that a person may put it into, each with the operation that does so; it may still be refused."""
    if attention == LEASE:
        return {READY: "task_release"}
    if column == REVIEW:
        own = column_of(task)
        ended = not task.awaits and own not in (READY, IN_PROGRESS)
        return {READY: "task_send_back", **({own: "task_approve"} if ended else {})}
    if column in (READY, BLOCKED):
        return {DONE: "task_done", CANCELLED: "task_cancel"}
    if column == FAILED:
        return {READY: "task_reopen", DONE: "task_done", CANCELLED: "task_cancel"}
    if column == CANCELLED:
        return {READY: "task_reopen"}
    return {READY: "task_send_back"} if column == DONE else {}
