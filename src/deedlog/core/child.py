"""Children, as the orchestrator's tools call the processes of workers: in which state one is."""

from __future__ import annotations

from deedlog.core.moment import SECOND
from deedlog.core.task import QUEUED, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.task import Session

STARTING, READY, WORKING, IDLE, STOPPING, TERMINATED = "starting", "ready", "running", "idle", "stopping", "terminated"
STATES = (STARTING, READY, WORKING, IDLE, STOPPING, TERMINATED)
OF_A_CHILD = "child"  # the label of a task that was made of a child's prompt
SPAWNING, EXITED = "spawning", "exited"
QUIET = 5 * SECOND  # after which one that listens, and has been told all there was, waits for more


def is_child(session: Session) -> bool:
    """Whether it has a process that we started, or will have."""
    return bool(session.host)


def is_over(session: Session) -> bool:
    return session.status not in (QUEUED, RUNNING)


def is_there(session: Session) -> bool:
    """Whether its process was made."""
    return session.status == RUNNING and session.leader is not None


def is_ready(session: Session) -> bool:
    """Whether its program runs, as far as that is told."""
    return is_there(session) and (session.ready_at is not None or not session.awaited)


def runtime_of(session: Session) -> str:
    if is_over(session):
        return EXITED
    return RUNNING if is_ready(session) else SPAWNING


def state_of(session: Session, *, heard: int, told: int, waiting: bool, now: int) -> str:
    """`heard` and `told` are when it last printed something and was last told something, 0 for never.

    `waiting` says that something was said to it that it does not have yet.
    """
    if is_over(session):
        return TERMINATED
    if session.stop:
        return STOPPING
    if not is_ready(session) and not heard:
        return STARTING
    if not heard and not told and not waiting:
        return READY
    is_quiet = now - max(heard, told) >= QUIET
    return IDLE if session.interactive and is_quiet and not waiting else WORKING
