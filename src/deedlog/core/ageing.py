"""How urgent something is that waits: what waits long enough comes before whatever came later."""

from __future__ import annotations

from math import log

BASE = {"critical": 100.0, "high": 70.0, "medium": 40.0, "low": 10.0}
PER_MILLISECOND, FAIR_SHARE, FAIR_MILLISECONDS = 0.01, 35.0, 3_000.0


def urgency(base: float, age_ms: float) -> float:
    """Grows fast in the first seconds and then steadily; nothing waits for ever behind more important things."""
    age = max(0.0, age_ms)
    return base + PER_MILLISECOND * age + FAIR_SHARE * log(1 + age / FAIR_MILLISECONDS)
