"""Things that are to happen later, each in a thread of its own: what one of them waits for delays no other."""

from __future__ import annotations

import heapq
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Timer:
    """One thing that is to happen; once it is `off` it does not."""

    def __init__(self, at: float, action: Callable[[], None]) -> None:
        self.at = at
        self.action = action
        self.off = False

    def __lt__(self, other: Timer) -> bool:
        return self.at < other.at


class Timers:
    """One thread waits for all of them; there is none before the first."""

    def __init__(self) -> None:
        self._due: list[Timer] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def now(self) -> float:
        return time.monotonic()

    def after(self, seconds: float, action: Callable[[], None]) -> Timer:
        timer = Timer(self.now() + seconds, action)
        with self._changed:
            heapq.heappush(self._due, timer)
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._wait, name="gateway-timers", daemon=True)
                self._thread.start()
            self._changed.notify()
        return timer

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._due.clear()
            self._changed.notify()

    def _wait(self) -> None:
        while True:
            with self._changed:
                while not self._closed and not self._ready():
                    left = self._due[0].at - self.now() if self._due else None
                    self._changed.wait(left)
                if self._closed:
                    return
                timer = heapq.heappop(self._due)
            if not timer.off:
                threading.Thread(target=timer.action, name="gateway-later", daemon=True).start()

    def _ready(self) -> bool:
        return bool(self._due) and self._due[0].at <= self.now()
