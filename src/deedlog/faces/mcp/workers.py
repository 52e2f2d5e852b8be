"""Threads for calls that wait. They are kept: each has a connection to the store, which costs more than a call."""

from __future__ import annotations

import threading
from queue import SimpleQueue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Workers:
    """As many threads as there were calls at once; every call finds a free one."""

    def __init__(self, report: Callable[[BaseException], object]) -> None:
        self._report = report
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0
        self._threads: list[threading.Thread] = []

    def run(self, task: Callable[[], None]) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
            else:
                thread = threading.Thread(target=self._work)
                self._threads.append(thread)
                thread.start()
        self._tasks.put(task)

    def _work(self) -> None:
        while task := self._tasks.get():
            try:
                task()
            except BaseException as error:  # noqa: BLE001  # the thread is counted on
                self._report(error)
            with self._lock:
                self._free += 1

    def close(self) -> None:
        """Wait for the calls that run."""
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
