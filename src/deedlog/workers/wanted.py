"""What is wanted of a running worker now: as its session says, which is read again while it runs."""

from __future__ import annotations

import math

from deedlog.core.limits import MEMORY, MILLISECONDS
from deedlog.workers.limits import limits_of
from deedlog.workers.memory import limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.workers.inbox import Inbox
    from deedlog.workers.limits import Limits
    from deedlog.workers.mouth import Mouth

GRACE = 5.0
KILL = "kill"


class Wanted:
    """`processes` are those of the worker; `mouth` speaks to it, where it listens."""

    def __init__(
        self, task: dict[str, Any], inbox: Inbox, mouth: Mouth | None, processes: Callable[[], list[int]]
    ) -> None:
        self.mouth = mouth
        self.heard: Callable[[], float] = lambda: 0.0  # when it last reported something
        self._inbox = inbox
        self._processes = processes
        self._task = task
        self._known: dict[str, Any] = {}
        self._limits = limits_of(task)
        self._memory = task.get("limits", {}).get(MEMORY, 0)
        self._awaits_start: bool = task.get("awaited", False)

    def look(self) -> None:
        self._inbox.look()

    def awaits_start(self) -> bool:
        """Whether somebody wants to know when its program runs."""
        return self._awaits_start

    def has_started(self) -> None:
        self._awaits_start = False
        self._inbox.ready()

    def limits(self) -> Limits:
        found = self._inbox.wanted
        if found and found is not self._known:  # before it was read for the first time, the task's own limits hold
            self._known = found
            self._limits = limits_of({**self._task, **found})
            self._keep_to(found.get("limits", {}).get(MEMORY, 0))
        return self._limits

    def _keep_to(self, memory: float) -> None:
        if memory != self._memory:
            self._memory = memory
            limit(self._processes(), memory)
            limit(self._processes(), memory)  # what was started meanwhile has what its parent had then

    def to_stop(self) -> bool:
        return bool(self._stop)

    def is_over(self) -> bool:
        """Whether its session has ended, or is another supervisor's."""
        return self._inbox.refused

    def grace(self) -> float:
        """Seconds between TERM and KILL."""
        if self._stop.get("how") == KILL:
            return 0.0
        found: float = self._stop.get("graceMs", GRACE * MILLISECONDS) / MILLISECONDS
        return found

    def kill_at(self) -> float:
        """When patience ends at the latest: at once where somebody wants that."""
        return 0.0 if self._stop.get("how") == KILL else math.inf

    @property
    def _stop(self) -> dict[str, Any]:
        found: dict[str, Any] = self._inbox.wanted.get("stop", {})
        return found
