"""Moments are integers: microseconds since 1970, UTC. Text appears only at the edges."""

from __future__ import annotations

SECOND = 1_000_000
DAY = 86_400
MARCH_OF_YEAR_0 = -719_468  # the day, counted from 1970
FOUR_CENTURIES = 146_097


def iso(moment: int) -> str:
    """`2025-01-15T10:00:00Z`; whole seconds carry no fraction, others carry milliseconds."""
    whole, micros = divmod(moment, SECOND)
    day, second = divmod(whole, DAY)
    text = f"{_date(day)}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{text}.{micros // 1000:03d}Z" if micros >= 1000 else f"{text}Z"  # noqa: PLR2004


def _date(day: int) -> str:
    """The date of a day counted from 1970. By hand: importing `datetime` costs a fifth of starting Python.

    Years that begin in March have their leap day at the end, so that months are a straight line.
    """
    era, day = divmod(day - MARCH_OF_YEAR_0, FOUR_CENTURIES)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month = month + 3 if month < 10 else month - 9  # noqa: PLR2004
    return f"{year + 400 * era + (month <= 2):04d}-{month:02d}-{day:02d}"  # noqa: PLR2004


def seconds_between(start: int, end: int) -> int:
    """Whole seconds, rounded; never negative, whatever the clock did."""
    return max(0, round((end - start) / SECOND))
