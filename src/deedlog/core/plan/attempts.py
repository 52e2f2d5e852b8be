"""What becomes of a node whose attempt failed: it is tried again after a pause, or it has failed."""

from __future__ import annotations

from zlib import crc32

from deedlog.core.plan.values import MILLISECOND, key_of
from deedlog.core.run import FAILED, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.run import Node, Run

LONGEST_PAUSE = 3_600_000  # ms
MOST_DOUBLINGS = 30
PERMANENT = ("budget", "stopped")  # a worker that ended so would end so again, or shall not go on


def retries_of(run: Run, node: Node) -> int:
    return int(node.rule.get("retries", run.retries if node.task_id else 0))


def failed(run: Run, node: Node, error: dict[str, Any], now: int, *, for_good: bool = False) -> Node:
    """The node after its current attempt failed."""
    if for_good or node.attempts > retries_of(run, node):
        return node.replace(state=FAILED, ended_at=now, error=error)
    after = now + pause(run, node) * MILLISECOND
    return node.replace(state=WAITING, not_before=after, error={**error, "attempt": node.attempts})


def pause(run: Run, node: Node) -> int:
    """Milliseconds before the next attempt: twice as long each time, and a part by chance.

    The chance is a number that the attempt itself gives, so that whoever decides it again decides the same.
    """
    base = int(node.rule.get("backoff_ms", run.backoff_ms))
    jitter = int(node.rule.get("backoff_jitter_ms", run.options.get("backoff_jitter_ms", base // 4)))
    doubled: int = base * 2 ** min(MOST_DOUBLINGS, max(0, node.attempts - 1))
    part = crc32(key_of(run.id, node.name, node.attempts).encode()) / 0xFFFFFFFF
    return min(LONGEST_PAUSE, doubled) + int(jitter * part)


def is_for_good(error: dict[str, Any]) -> bool:
    return error.get("reason") in PERMANENT
