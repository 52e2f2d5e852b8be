"""Comparing anew what servers offer: one comparison of a server at a time, and one more where it changed meanwhile."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Refreshing:
    def __init__(self, refresh: Callable[[str], bool]) -> None:
        self._refresh = refresh
        self._lock = threading.Lock()
        self._wanted: set[str] = set()
        self._at_it: set[str] = set()

    def refresh(self, name: str, *, wait: bool) -> bool:
        """Have it compared, by a thread of its own; who waits is told whether that was done."""
        if wait:
            return self._refresh(name)
        with self._lock:
            self._wanted.add(name)
            if name in self._at_it:
                return False
            self._at_it.add(name)
        threading.Thread(target=self._run, args=(name,), name=f"refresh-{name}", daemon=True).start()
        return False

    def _run(self, name: str) -> None:
        while True:
            with self._lock:
                if name not in self._wanted:
                    self._at_it.discard(name)
                    return
                self._wanted.discard(name)
            self._refresh(name)
