"""Moments are integers: microseconds since 1970, UTC. Text appears only at the edges."""

from __future__ import annotations

import re

SECOND = 1_000_000
DAY = 86_400
MARCH_OF_YEAR_0 = -719_468  # the day, counted from 1970
FOUR_CENTURIES = 146_097
WRITTEN = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.(\d{1,9}))?)?)?(?!\d)", re.ASCII
)


def iso(moment: int) -> str:
    """`2025-01-15T10:00:00Z`; whole seconds carry no fraction, others carry milliseconds."""
    whole, micros = divmod(moment, SECOND)
    day, second = divmod(whole, DAY)
    text = f"{_date(day)}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{text}.{micros // 1000:03d}Z" if micros >= 1000 else f"{text}Z"  # noqa: PLR2004


def millis(moment: int) -> int:
    """Milliseconds since 1970, as the orchestrator's tools tell times."""
    return moment // 1_000


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


def moment_of(text: str) -> int | None:
    """The moment that a text begins with: `2025-01-15`, `20250115T100000.250Z`, `2025-01-15T10:00:00Z`; always UTC."""
    found = WRITTEN.match(text)
    if not found:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31):  # noqa: PLR2004
        return None
    seconds = _day_of(year, month, day) * DAY + hour * 3600 + minute * 60 + second
    return seconds * SECOND + int((found[7] or "").ljust(6, "0")[:6])


def _day_of(year: int, month: int, day: int) -> int:
    """The day counted from 1970; see `_date`."""
    year -= month <= 2  # noqa: PLR2004
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * FOUR_CENTURIES + of_era * 365 + of_era // 4 - of_era // 100 + of_year + MARCH_OF_YEAR_0


def seconds_between(start: int, end: int) -> int:
    """Whole seconds, rounded; never negative, whatever the clock did."""
    return max(0, round((end - start) / SECOND))
