"""Listing anew what a server says has changed: at once, but with growing pauses while it says so again and again.

There are servers that say so whenever they are listed. Each change of what is offered is recorded and told to clients,
so how often that happens must not be for a server to say.
"""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.gateway.timers import Timers
    from deedlog.ports import Peer

SHORTEST, LONGEST = 2.0, 60.0  # seconds between two listings
CALM = 4  # times its pause in which nothing changed: the next change is listed at once
LOOK_SECONDS = 0.05  # between looks at whether a caller has given up
RESTLESS = 16.0  # seconds of pause from which on people are told


class Relisting:
    """`relist` is given the notifications since it was called last, and is never called twice at a time."""

    def __init__(self, timers: Timers, relist: Callable[[list[str]], None]) -> None:
        self._timers = timers
        self._relist = relist
        self._lock = threading.Lock()
        self._told: dict[str, None] = {}
        self._is_due = False
        self._pause = 0.0
        self._ended = 0.0
        self._at_rest = threading.Event()
        self._at_rest.set()

    @property
    def is_restless(self) -> bool:
        with self._lock:
            return self._pause >= RESTLESS and not self._is_calm()

    def wait(self, peer: Peer, seconds: float) -> None:
        """Until a listing that is under way is over. For one that is put off nobody waits."""
        if self._at_rest.is_set():
            return
        end = time.monotonic() + seconds
        while not self._at_rest.wait(LOOK_SECONDS) and not peer.cancelled() and time.monotonic() < end:
            pass

    def wanted(self, method: str) -> None:
        """Does not wait."""
        with self._lock:
            self._told[method] = None
            if self._is_due:
                return
            self._is_due = True
            wait = self._next()
        self._after(wait)

    def _is_calm(self) -> bool:
        return not self._pause or self._timers.now() - self._ended >= CALM * self._pause

    def _next(self) -> float:
        """In how many seconds; the pause after it is longer, unless it was calm."""
        if self._is_calm():
            self._pause = SHORTEST
            return 0
        wait = self._ended + self._pause - self._timers.now()
        self._pause = min(2 * self._pause, LONGEST)
        return wait

    def _after(self, seconds: float) -> None:
        if seconds > 0:
            self._at_rest.set()
            self._timers.after(seconds, self._run)
        else:
            self._at_rest.clear()
            threading.Thread(target=self._run, name="relist", daemon=True).start()

    def _run(self) -> None:
        with self._lock:
            told, self._told = list(self._told), {}
            self._at_rest.clear()
        try:
            self._relist(told)
        finally:
            with self._lock:
                self._ended = self._timers.now()
                again = self._is_due = bool(self._told)
                wait = self._next() if again else 0
                if not again:
                    self._at_rest.set()
            if again:
                self._after(wait)
