"""What a task's status follows from, and its place in the queue that `task_next` hands out from."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.moment import iso
from deedlog.core.task import (
    CANCELLED,
    COMPLETED,
    DONE,
    FAILED,
    IN_PROGRESS,
    MERGED,
    OPEN,
    PENDING,
    QUEUED,
    RUNNING,
    Session,
    Task,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CLAIMED, BLOCKED = "claimed", "blocked"  # its place while somebody holds it, or while it waits for other tasks
HUMAN = "human"
MERGE = "merge"  # what a task awaits whose worker ended well
OVER = (DONE, CANCELLED)  # nobody waits for such a task any more


def succeeded(session: Session) -> bool:
    """Whether a session's work is done for good: merged, or done in the tree where it belongs."""
    if session.worktree or session.dod_result != PENDING:
        return session.dod_result == MERGED
    return session.status == COMPLETED


def waits_for_merge(session: Session) -> bool:
    """Whether a worker ended well and its work is still to be brought in."""
    is_pending = session.status == COMPLETED and session.dod_result == PENDING
    return is_pending and bool(session.worktree) and not session.sent_back


def status_of(task: Task, sessions: Iterable[Session]) -> str:
    """The status of a task with these sessions; what a person sent back is as if nobody had begun."""
    if task.cancelled:
        return CANCELLED
    found = [session for session in sessions if not session.sent_back]
    if not found:
        return OPEN
    if any(session.status in (RUNNING, QUEUED) for session in found):
        return IN_PROGRESS
    if any(map(succeeded, found)):
        return DONE
    return IN_PROGRESS if any(map(waits_for_merge, found)) else FAILED


def derived(task: Task, sessions: Iterable[Session]) -> Task:
    """`task` with all that follows from these sessions: its status, and whether its work waits to be merged."""
    found = list(sessions)
    status = status_of(task, found)
    is_at_rest = not any(session.status in (RUNNING, QUEUED) for session in found)
    return task.replace(status=status, awaits=MERGE if status == IN_PROGRESS and is_at_rest else "")


def place_of(priority: str, assignee_type: str = "") -> str:
    """The place of tasks that are ready; those of people have their own, so that no agent is given one by chance."""
    return f"{HUMAN}:{priority}" if assignee_type == HUMAN else priority


def _place(task: Task) -> str:
    if task.holder:
        return CLAIMED
    if task.status != OPEN and not (task.status == FAILED and task.retry):
        return ""
    return BLOCKED if task.waiting else place_of(task.priority, task.assignee_type)


def queued(task: Task) -> Task:
    """`task` in its place in the queue."""
    place = _place(task)
    return task if task.queue == place else task.replace(queue=place)


def is_ready(task: Task) -> bool:
    """Whether work on it can begin, and nobody has claimed it."""
    return task.queue not in ("", CLAIMED, BLOCKED)


def claimed(task: Task, holder: str, now: int, lease: int) -> Task:
    """`task` held by `holder` for `lease` microseconds, under the next epoch."""
    return queued(task.replace(holder=holder, epoch=task.epoch + 1, lease_until=now + lease, updated_at=now))


def released(task: Task) -> Task:
    """`task` held by nobody; the epoch stays, so that the next claim has another."""
    return queued(task.replace(holder="", lease_until=0))


def is_held(task: Task, now: int) -> bool:
    return bool(task.holder) and task.lease_until > now


def check_epoch(task: Task, epoch: int | None) -> None:
    """Refuse what somebody says under a claim that is not the current one."""
    if epoch is None or epoch == task.epoch:
        return
    by = f", by {task.holder} until {iso(task.lease_until)}" if task.holder else ""
    raise Conflict(
        f"{task.ref} was claimed anew under epoch {task.epoch}{by}: epoch {epoch} is over",
        hint="stop working on it; task_next hands out another task",
        data={"task_id": task.ref, "epoch": task.epoch},
    )


def check_holder(task: Task, epoch: int | None, caller: str) -> None:
    """Refuse what only the holder of the current claim may say: it gives its epoch, or its name will do."""
    check_epoch(task, epoch)
    if epoch is None and task.holder and task.holder != caller:
        raise Conflict(
            f"{task.ref} is claimed by {task.holder} until {iso(task.lease_until)}",
            hint="if that is you under another name, give the epoch that task_next returned",
            data={"task_id": task.number, "holder": task.holder},
        )
