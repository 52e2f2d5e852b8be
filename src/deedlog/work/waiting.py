"""Waiting until sessions have ended, whichever process ends them."""

from __future__ import annotations

import time

from deedlog.core.task import Session
from deedlog.work.worker_rows import AT_WORK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deedlog.ports import Context

LOOK_SECONDS = 1.0  # how often the caller and the supervisors are looked after, even if nothing is committed


def wait_for(
    ctx: Context,
    session_ids: Sequence[str],
    seconds: float,
    enough: Callable[[Sequence[Session]], bool],
    told: Callable[[Sequence[Session]], None],
) -> list[Session]:
    """The sessions, once `enough` of them ended, the time is over or the caller gave up; `told` hears of news."""
    end = time.monotonic() + seconds
    watch = ctx.ledger.watch()
    try:
        before: list[str] = []
        while True:
            found = [ctx.ledger.get(Session, session_id) for session_id in session_ids]
            statuses = [session.status for session in found]
            if statuses != before:
                told(found)
                before = statuses
            left = end - time.monotonic()
            if enough(found) or left <= 0 or ctx.peer.cancelled():
                return found
            if not watch.wait(min(left, LOOK_SECONDS)):
                ctx.settle()
    finally:
        watch.close()


def is_over(session: Session) -> bool:
    return session.status not in AT_WORK
