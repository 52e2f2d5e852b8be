"""Moments are integers: microseconds since 1970, UTC. Text appears only at the edges."""

from __future__ import annotations

from datetime import UTC, datetime

SECOND = 1_000_000


def iso(moment: int) -> str:
    """`2025-01-15T10:00:00Z`; whole seconds carry no fraction, others carry milliseconds."""
    whole, micros = divmod(moment, SECOND)
    text = datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{micros // 1000:03d}Z" if micros >= 1000 else f"{text}Z"  # noqa: PLR2004


def seconds_between(start: int, end: int) -> int:
    """Whole seconds, rounded; never negative, whatever the clock did."""
    return max(0, round((end - start) / SECOND))
