"""The threads that calls run in: a few for those that end at once, one for each that may wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from deedlog.faces.mcp.dispatch import MOST_PASSING, MOST_WAITING

Answer = TypeVar("Answer")
QUICK_THREADS = 8


class Threads:
    def __init__(self) -> None:
        self._quick = ThreadPoolExecutor(QUICK_THREADS, "deedlog-call")
        self._waiting = ThreadPoolExecutor(MOST_WAITING + MOST_PASSING, "deedlog-wait")

    def run(self, task: Callable[[], Answer], *, waits: bool) -> asyncio.Future[Answer]:
        return asyncio.get_running_loop().run_in_executor(self._waiting if waits else self._quick, task)

    def close(self) -> None:
        """Wait for the calls that run."""
        for pool in (self._quick, self._waiting):
            pool.shutdown()
