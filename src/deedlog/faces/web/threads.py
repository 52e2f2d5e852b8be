"""The threads that calls run in: a few for those that end at once, one for each that may wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from deedlog.app import App
from deedlog.faces.mcp.workers import Workers

Answer = TypeVar("Answer")
QUICK_THREADS = 8


class Threads:
    """How many calls may wait at once, the dispatcher says."""

    def __init__(self, app: App) -> None:
        self._quick = ThreadPoolExecutor(QUICK_THREADS, "deedlog-call")
        self._waiting = Workers(app.report, app.leave)

    def run(self, task: Callable[[], Answer], *, waits: bool) -> asyncio.Future[Answer]:
        if not waits:
            return asyncio.get_running_loop().run_in_executor(self._quick, task)
        answer: Future[Answer] = Future()
        answer.set_running_or_notify_cancel()  # who does not wait any more cannot keep it from being run

        def run() -> None:
            try:
                answer.set_result(task())
            except BaseException as error:  # noqa: BLE001  # whoever waits for the answer gets it
                answer.set_exception(error)

        self._waiting.run(run)
        return asyncio.wrap_future(answer)

    def close(self) -> None:
        """Wait for the calls that run."""
        self._quick.shutdown()
        self._waiting.close()
