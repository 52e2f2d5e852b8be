"""How much memory each process of a worker may take for its own data: a limit of the system, per process."""

from __future__ import annotations

import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MEGABYTE = 1024 * 1024
IS_KEPT = sys.platform == "linux"  # elsewhere the system takes such a limit and does not keep to it


def limit_self(megabytes: float) -> None:
    """For this process, and what it will start. The hard limit stays: a limit that is set can be raised again."""
    if IS_KEPT:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_soft(megabytes, hard), hard))


def limit(pids: Iterable[int], megabytes: float) -> None:
    """For processes that run; 0 is as much as there is. What they have they keep, but they get no more."""
    if not IS_KEPT:
        return
    for pid in pids:
        try:
            _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
            resource.prlimit(pid, resource.RLIMIT_DATA, (_soft(megabytes, hard), hard))
        except (OSError, ValueError):
            continue  # it has ended, or belongs to somebody else


def _soft(megabytes: float, hard: int) -> int:
    wanted = int(megabytes * MEGABYTE) if megabytes else resource.RLIM_INFINITY
    if wanted == resource.RLIM_INFINITY:
        return hard
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
