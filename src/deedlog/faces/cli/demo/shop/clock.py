"""A clock that is turned by hand, from days ago to now: what was done in between then has believable lengths."""

from __future__ import annotations

import time

MINUTE = 60_000_000  # microseconds


class PastClock:
    def __init__(self, *, hours_ago: float) -> None:
        self._moment = time.time_ns() // 1000 - int(hours_ago * 60 * MINUTE)

    def __call__(self) -> int:
        self._moment += 1_000  # calls follow each other
        return self._moment

    def turn(self, minutes: float) -> None:
        """Let time pass. Nobody gets ahead of the real one."""
        self._moment = min(self._moment + int(minutes * MINUTE), time.time_ns() // 1000)

    def turn_to(self, *, hours_ago: float) -> None:
        self._moment = max(self._moment, time.time_ns() // 1000 - int(hours_ago * 60 * MINUTE))

    @property
    def seconds(self) -> int:
        return self._moment // 1_000_000
