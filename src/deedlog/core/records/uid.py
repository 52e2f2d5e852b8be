"""UIDs of records: `20250108T143512.237Z-A001`. Sorted as text they are sorted by time."""

from __future__ import annotations

import re

from deedlog.core.errors import Conflict
from deedlog.core.moment import iso

MILLISECOND = 1000
DAY = 86_400_000_000
LAST = "99991231T235959.999Z"
PATTERN = r"[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9A-Za-z]{4}"
UID = re.compile(
    r"([0-9]{4})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])([0-5][0-9])([0-5][0-9])\.([0-9]{3})Z-[0-9A-Za-z]{4}",
    re.ASCII,
)
MONTHS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
FEBRUARY = 2


def is_uid(text: str) -> bool:
    return UID.fullmatch(text) is not None


def is_moment(uid: str) -> bool:
    """Whether the calendar has the day of a UID; nothing of ours writes another."""
    return is_uid(uid) and _stamp(moment_of(uid)) == uid.partition("-")[0]


def is_in_the_future(uid: str, micros: int) -> bool:
    """Whether a UID is later than clocks can differ: something else than a clock made it, or one that was wrong."""
    return moment_of(uid) > micros + DAY


def uid_at(micros: int, chance: int) -> str:
    """The UID of a moment, with 16 random bits."""
    return f"{_stamp(micros)}-{chance & 0xFFFF:04X}"


def later_than(last: str, micros: int, chance: int) -> str:
    """The UID of a moment, or of the first millisecond after the UID `last` where that is later."""
    stamp = last.partition("-")[0]
    if not last or stamp < _stamp(micros):
        return uid_at(micros, chance)
    if stamp >= LAST:
        raise Conflict(
            f"the UID {last} leaves no later one",
            hint="a record has it by mistake, or this clock is wrong: adr_list shows the record",
            data={"code": "PARSE_ERROR", "uid": last},
        )
    return uid_at(moment_of(last) + MILLISECOND, chance)


def moment_of(uid: str) -> int:
    """The moment in a UID, in microseconds."""
    found = UID.fullmatch(uid)
    assert found is not None
    year, month, day, hour, minute, second, milli = map(int, found.groups())
    before = year - 1
    leap = month > FEBRUARY and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    days = before * 365 + before // 4 - before // 100 + before // 400 + MONTHS_BEFORE[month - 1] + leap + day - 1
    seconds = ((days - 719_162) * 24 + hour) * 3600 + minute * 60 + second
    return (seconds * 1000 + milli) * MILLISECOND


def _stamp(micros: int) -> str:
    whole, rest = divmod(micros, 1_000_000)
    return iso(whole * 1_000_000).translate({ord("-"): None, ord(":"): None})[:-1] + f".{rest // MILLISECOND:03d}Z"
