"""What was seen a moment ago, for all who ask at once: looking at a work tree takes its time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from time import monotonic

SECONDS = 2.0
MOST_KEPT = 4


class Looks:
    """Whoever asks first looks, the others wait for what is seen; it is good for two seconds from when it was seen."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._seen: dict[Hashable, tuple[float, bytes]] = {}

    def look(self, what: Hashable, look: Callable[[], bytes]) -> bytes:
        with self._lock:
            own = self._locks.setdefault(what, threading.Lock())
        with own:
            at, seen = self._seen.get(what, (0.0, b""))
            if at and self._clock() - at < SECONDS:
                return seen
            seen = look()
            with self._lock:
                self._seen[what] = (self._clock(), seen)
                self._forget()
            return seen

    def _forget(self) -> None:
        old = sorted(self._seen, key=lambda what: self._seen[what][0])[:-MOST_KEPT]
        stale = [what for what, (at, _) in self._seen.items() if self._clock() - at >= SECONDS]
        for what in {*old, *stale}:
            self._seen.pop(what, None)
            self._locks.pop(what, None)
