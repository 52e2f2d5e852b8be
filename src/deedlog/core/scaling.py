"""How many workers there shall be: more while work piles up, fewer while nobody needs them, and never to and fro."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deedlog.core.team import Autoscale

MILLISECOND = 1_000
THRESHOLDS = {"backlog_high": 2.0, "backlog_low": 0.0, "failure_rate_high": 0.5}
ENOUGH_ENDED = 4  # attempts, before a rate of failures says anything


def thresholds(given: Mapping[str, float]) -> dict[str, float]:
    return {**THRESHOLDS, **given}


def wanted(
    rule: Autoscale,
    current: int,
    *,
    ready: int,
    running: int,
    ended: int = 0,
    failed: int = 0,
    changed_at: int,
    now: int,
) -> int:
    """How many workers there shall be, of whom `running` are at work while `ready` tasks wait for one.

    `changed_at` is when their number last changed. One more where more tasks than `backlog_high` wait and all are at
    work; one fewer where no more than `backlog_low` wait and one is idle. Between the two, and until the time
    `cooldown_ms` is over, it stays as it is; so it does where most of the attempts that `ended` lately `failed`: more
    of them would only fail faster. The bounds always hold.
    """
    bounded = max(rule.least, min(rule.most, current))
    if bounded != current or now - changed_at < rule.cooldown_ms * MILLISECOND:
        return bounded
    limits = thresholds(rule.thresholds)
    if ready > limits["backlog_high"] and running >= current:
        failing = ended >= ENOUGH_ENDED and failed / ended >= limits["failure_rate_high"]
        return current if failing else min(rule.most, current + 1)
    if ready <= limits["backlog_low"] and running < current:
        return max(rule.least, current - 1)
    return current
