"""What a worker must not exceed, and how it ends where it does."""

from __future__ import annotations

import time

from deedlog.core.ending import BUDGET, TIMEOUT
from deedlog.core.limits import BYTES_OUT, IDLE, MILLISECONDS, WALLCLOCK
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOOK = 1.0  # what ends, prints or asks us to stop wakes us at once
SECONDS_OF_MINUTE = 60


class End(Value):
    """How a worker ended; `code` is as `os.waitstatus_to_exitcode` has it."""

    reason: str
    code: int | None = None
    message: str = ""


class Limits(Value):
    seconds: float
    seconds_of_budget: float | None
    tokens: float | None
    cost: float | None
    seconds_of_silence: float | None = None
    printed: float | None = None  # bytes

    def broken(self, began: float, usage: dict[str, float]) -> End | None:
        """Why a worker must end now, if it must."""
        passed = time.monotonic() - began
        if passed >= self.seconds:
            return End(reason=TIMEOUT, message=f"it was not done after {self.seconds:g} s")
        if self.seconds_of_budget is not None and passed >= self.seconds_of_budget:
            return End(
                reason=BUDGET, message=f"its budget of {self.seconds_of_budget / SECONDS_OF_MINUTE:g} minutes is used"
            )
        for name, most in (("tokens", self.tokens), ("cost", self.cost)):
            if most is not None and usage.get(name, 0) >= most:
                return End(reason=BUDGET, message=f"its budget of {most:g} {name} is used: {usage[name]:g}")
        return None

    def overrun(self, silent_since: float, printed: int) -> End | None:
        """The same for what it prints: too much, or nothing for too long."""
        if self.printed is not None and printed > self.printed:
            return End(reason=BUDGET, message=f"it printed more than {self.printed:g} bytes")
        if self.seconds_of_silence is not None and time.monotonic() - silent_since >= self.seconds_of_silence:
            return End(reason=TIMEOUT, message=f"it printed nothing for {self.seconds_of_silence:g} s")
        return None

    def left(self, began: float) -> float:
        """Seconds until one of them may be broken by time alone."""
        times = [self.seconds] + ([] if self.seconds_of_budget is None else [self.seconds_of_budget])
        return max(0.0, began + min(times) - time.monotonic())

    def silence_left(self, silent_since: float) -> float:
        if self.seconds_of_silence is None:
            return LOOK
        return max(0.0, silent_since + self.seconds_of_silence - time.monotonic())


def limits_of(task: dict[str, Any]) -> Limits:
    budget, limits = task["budget"], task.get("limits", {})
    minutes = budget.get("minutes")
    return Limits(
        seconds=limits[WALLCLOCK] / MILLISECONDS if WALLCLOCK in limits else task["timeoutSeconds"],
        seconds_of_budget=None if minutes is None else minutes * SECONDS_OF_MINUTE,
        tokens=budget.get("tokens"),
        cost=budget.get("cost"),
        seconds_of_silence=limits[IDLE] / MILLISECONDS if IDLE in limits else None,
        printed=limits.get(BYTES_OUT),
    )
