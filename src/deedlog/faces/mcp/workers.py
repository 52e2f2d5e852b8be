"""Threads for calls that wait. A few are kept: each has a connection to the store, which costs more than a call."""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

KEPT = 8
SPARE_SECONDS = 60.0  # after which threads that were not needed all that time end, but for those that are kept


class Workers:
    """As many threads as there were calls at once of late; every call finds a free one."""

    def __init__(self, report: Callable[[BaseException], object], leave: Callable[[], None]) -> None:
        self._report = report
        self._leave = leave  # done by a spare thread before it ends; at the end of all, the store closes in good order
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0
        self._needed = monotonic()  # when there were last no more of them free than are kept
        self._threads: set[threading.Thread] = set()

    def run(self, task: Callable[[], None]) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
            else:
                thread = threading.Thread(target=self._work)
                self._threads.add(thread)
                thread.start()
            if self._free < KEPT:
                self._needed = monotonic()
        self._tasks.put(task)

    def _work(self) -> None:
        while task := self._next():
            try:
                task()
            except BaseException as error:  # noqa: BLE001  # the thread is counted on
                self._report(error)
            with self._lock:
                self._free += 1

    def _next(self) -> Callable[[], None] | None:
        while not self._is_spare():
            try:
                return self._tasks.get(timeout=SPARE_SECONDS)
            except Empty:
                continue
        self._leave()
        return None

    def _is_spare(self) -> bool:
        """Whether the calling thread may go; then it is no longer counted on."""
        with self._lock:
            spare = self._free > KEPT and monotonic() - self._needed >= SPARE_SECONDS
            if spare:
                self._free -= 1
                self._threads.discard(threading.current_thread())
            return spare

    def close(self) -> None:
        """Wait for the calls that run."""
        with self._lock:
            threads = list(self._threads)
        for _ in threads:
            self._tasks.put(None)
        for thread in threads:
            thread.join()
