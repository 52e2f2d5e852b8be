"""Where a text for people goes, and how single values read there."""

from __future__ import annotations

import json

from deedlog.faces.cli.terminal import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

ISO_LENGTHS = (20, 24)  # whole seconds, milliseconds
MILLISECONDS, MINUTE = ("Ms", "_ms"), 60
YEAR_2001 = 1_000_000_000_000  # what is called a moment and has as many milliseconds is one
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
UNDERLINED, RED, GREEN, CYAN = "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[36m"


class Style:
    """Where the text goes: `columns` is None where nothing may be cut; `brief` rows have only what matters most.

    `whole` is the part of the rows that is not cut, below the others.
    """

    def __init__(
        self, columns: int | None = None, *, colour: bool = False, brief: bool = False, whole: str = ""
    ) -> None:
        self.columns = columns
        self.colour = colour
        self.brief = brief
        self.whole = whole

    def narrower(self, columns: int) -> Style:
        """The same place, with that many columns less."""
        room = self.columns and max(self.columns - columns, columns)
        return Style(room, colour=self.colour, brief=self.brief)

    def painted(self, paint: str, text: str) -> str:
        return f"{paint}{text}{PLAIN}" if self.colour and text else text

    def bold(self, text: str) -> str:
        return self.painted(BOLD, text)

    def dim(self, text: str) -> str:
        return self.painted(DIM, text)


def in_words(value: Any, style: Style, *, name: str = "", brief: bool = False) -> str:
    """One value, safe to print; what stands among others is on one line."""
    if isinstance(value, int) and value > YEAR_2001 and is_moment(name):
        value = millisecond(value)
    if style.columns and name != without_unit(name) and isinstance(value, int):
        return lasting_a_moment(value) if name.endswith(MILLISECONDS) else lasting(value)
    if isinstance(value, str):
        moment = _moment(value) if style.columns else None
        if moment is None:
            return clean(value)
        return short(moment, moment.now(moment.tzinfo)) if brief else moment.isoformat(" ", "seconds")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(in_one_line(item, style, brief=brief) for item in value)
    if style.columns and brief and isinstance(value, dict):
        said = {key: in_one_line(item, style, brief=True) for key, item in value.items()}
        return "; ".join(f"{clean(key)} {text}" for key, text in said.items() if text)
    return "" if value is None else clean(json.dumps(value, ensure_ascii=False))


def in_one_line(value: Any, style: Style, *, name: str = "", brief: bool = False) -> str:
    """One value, with ends of lines made visible: a name that has one must not look like another, or like two."""
    return in_words(value, style, name=name, brief=brief).replace("\n", "\\n")


def _moment(text: str) -> datetime | None:
    """The time a text tells, on the reader's own clock; None when it tells something else."""
    if not (len(text) in ISO_LENGTHS and text[10] == "T" and text[-1] == "Z" and text[:4].isdigit()):
        return None
    from datetime import datetime  # only for people

    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        return None


def without_unit(name: str) -> str:
    """`duration` for `duration_seconds`, and for `seconds`: the value, in words, tells its unit."""
    if name == "seconds":
        return "duration"
    for unit in ("_seconds", "Seconds", *MILLISECONDS):
        name = name.removesuffix(unit)
    return name


def is_moment(name: str) -> bool:
    return name == "ts" or name.endswith(("_at", "At"))


def millisecond(since_1970: int) -> str:
    """The moment as other operations tell it: in ISO form, in UTC."""
    from datetime import UTC, datetime  # only for people

    moment = datetime.fromtimestamp(since_1970 // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{since_1970 % 1000:03d}Z"


def lasting_a_moment(milliseconds: int) -> str:
    """`1.1s`; from a minute on as exact as `lasting`."""
    seconds, rest = divmod(milliseconds, 1000)
    return lasting(seconds) if seconds >= MINUTE else f"{seconds}.{rest // 100}s"


def lasting(seconds: int) -> str:
    """`47s`, `20m 47s`, `5h 02m`, `3d 04h`: as exact as one wants to know."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d {hour:02d}h"
    if hours:
        return f"{hours}h {minute:02d}m"
    return f"{minutes}m {second:02d}s" if minutes else f"{seconds}s"


def short(moment: datetime, now: datetime) -> str:
    """`09:16:37` today, `11-15 09:16` this year, else the day."""
    if moment.date() == now.date():
        return f"{moment:%H:%M:%S}"
    return f"{moment:%m-%d %H:%M}" if moment.year == now.year else f"{moment:%Y-%m-%d}"
