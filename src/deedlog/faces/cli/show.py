"""An answer for people: tables and `name: value` lines.

On a terminal they fit its width, with times of day as the reader's clock shows them. Elsewhere
nothing is cut, coloured or converted, so that the text is the same everywhere.
"""

from __future__ import annotations

import json

from deedlog.faces.cli.terminal import clean, colourful, columns, cut, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Row = dict[str, Any]

GAP = "  "
LEAST_COLUMN = 16
ISO_LENGTHS = (20, 24)  # whole seconds, milliseconds
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


class Style:
    """Where the text goes: `columns` is None where nothing may be cut."""

    def __init__(self, columns: int | None = None, *, colour: bool = False) -> None:
        self.columns = columns
        self.colour = colour

    def bold(self, text: str) -> str:
        return f"{BOLD}{text}{PLAIN}" if self.colour else text

    def dim(self, text: str) -> str:
        return f"{DIM}{text}{PLAIN}" if self.colour else text


def style_of_output() -> Style:
    return Style(columns(), colour=colourful())


def answer_lines(answer: Any, style: Style) -> Iterator[str]:
    """The lines of any answer."""
    if not isinstance(answer, dict):
        answer = {"answer": answer}
    if len(answer) == 1 and isinstance(only := next(iter(answer.values())), str):
        yield clean(only).removesuffix("\n")
        return
    lists = [name for name, value in answer.items() if is_table(value)]
    for name in lists:
        if len(lists) > 1:
            yield style.bold(name)
        yield from Table(style).lines(answer[name])
    longest = max((width(name) for name in answer if name not in lists), default=0)
    for name, value in answer.items():
        if name not in lists and value not in ([], {}, ""):
            yield from _field(name, value, longest, style)


def is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _field(name: str, value: Any, longest: int, style: Style) -> Iterator[str]:
    text = in_words(value, style)
    head = padded(clean(name) + ":", longest + 1) + " "
    room = None if style.columns is None else max(style.columns - len(head), LEAST_COLUMN)
    lines = text.split("\n") if room is None else wrapped(text, room)
    yield style.dim(head) + lines[0]
    for line in lines[1:]:
        yield " " * len(head) + line


def in_words(value: Any, style: Style) -> str:
    """One value, safe to print."""
    if isinstance(value, str):
        return _moment(value) if style.columns and _is_moment(value) else clean(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(in_words(item, style) for item in value)
    if value is None:
        return ""
    return clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _is_moment(text: str) -> bool:
    return len(text) in ISO_LENGTHS and text[10] == "T" and text[-1] == "Z" and text[:4].isdigit()


def _moment(text: str) -> str:
    """A time on the reader's own clock, with its distance from UTC: `2025-01-15 11:00:00+01:00`."""
    from datetime import datetime  # only for people

    try:
        return datetime.fromisoformat(text).astimezone().isoformat(" ", "seconds")
    except (ValueError, OverflowError):
        return clean(text)


class Table:
    """Rows under each other. It can go on where it stopped: columns keep their place, the heading is shown once."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._names: list[str] = []
        self._widths: list[int] = []
        self._left_out: list[str] = []

    def lines(self, rows: list[Row]) -> Iterator[str]:
        first = not self._names
        if first:
            self._names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [[self._cell(row.get(name)) for name in self._names] for row in rows]
        if first:
            cells = self._fit(cells)
            yield self._style.bold(self._line([clean(name) for name in self._names]))
        for row in cells:
            yield self._line(row)
        if first and self._left_out:
            names = ", ".join(reversed(self._left_out))
            yield self._style.dim(
                cut(f"--json or a wider terminal shows also: {clean(names)}", self._style.columns or 0)
            )

    def _cell(self, value: Any) -> str:
        return " ".join(in_words(value, self._style).split("\n"))

    def _fit(self, cells: list[list[str]]) -> list[list[str]]:
        """Choose the widths; where the terminal is too narrow, texts are cut and the last columns left out."""
        every = [[clean(name) for name in self._names], *cells]
        self._widths = [max(map(width, column)) for column in zip(*every, strict=True)]
        if self._style.columns is None:
            return cells
        while len(self._names) > 1 and self._total(LEAST_COLUMN) > self._style.columns:
            self._left_out.append(self._names.pop())
            self._widths.pop()
        level = max(self._widths)
        while self._total(level) > self._style.columns and level > LEAST_COLUMN:
            level -= 1
        self._widths = [self._narrowed(place, level) for place in range(len(self._names))]
        return [row[: len(self._names)] for row in cells]

    def _total(self, level: int) -> int:
        places = range(len(self._names))
        return sum(self._narrowed(place, level) for place in places) + len(GAP) * (len(self._names) - 1)

    def _narrowed(self, place: int, level: int) -> int:
        """A column's width when texts get at most `level`; what one copies or compares is never cut."""
        name = self._names[place]
        whole = name in ("id", "uri", "seq", "at") or name.endswith(("_id", "Id", "_at", "At"))
        return self._widths[place] if whole else min(self._widths[place], level)

    def _line(self, cells: list[str]) -> str:
        shown = [
            padded(cut(text, room) if self._style.columns else text, room)
            for text, room in zip(cells, self._widths, strict=False)
        ]
        return GAP.join(shown).rstrip()
