"""Rows that are no table: each with a long text of its own, or with rows inside."""

from __future__ import annotations

from deedlog.faces.cli.style import in_one_line, in_words, without_unit
from deedlog.faces.cli.table import Table
from deedlog.faces.cli.terminal import clean, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from deedlog.faces.cli.style import Style

    Row = dict[str, Any]

GAP, INDENT = "  ", "  "


class Blocks:
    """On a terminal: what is short of a row on one line, and below it the text that is to be read as a whole."""

    def __init__(self, style: Style, first: Sequence[str]) -> None:
        self._style, self._first = style, first

    def lines(self, rows: list[Row]) -> Iterator[str]:
        for row in rows:
            names = [name for name in self._first if name != self._style.whole]
            yield from map(self._style.bold, _short(row, names, self._style))
            text = in_words(row.get(self._style.whole), self._style)
            for line in wrapped(text.strip("\n"), (self._style.columns or 0) - len(INDENT)) if text else ():
                yield INDENT + line


def rows_under_each_other(style: Style, names: Sequence[str], first: Sequence[str]) -> Blocks | Table:
    """How a list is shown, from page to page."""
    return Blocks(style, first) if style.whole and style.columns else Table(style, names, first)


def inner_rows(rows: list[Row], first: Sequence[str]) -> str:
    """The part of rows that holds the rows which the columns `first` are of; empty where these are their own."""
    if not first or any(first[0] in row for row in rows):
        return ""
    held = ((name, inside) for row in rows for name, inside in row.items() if isinstance(inside, list))
    return next((name for name, inside in held if inside and isinstance(inside[0], dict) and first[0] in inside[0]), "")


def groups(rows: list[Row], inner: str, style: Style, first: Sequence[str]) -> Iterator[str]:
    """Each row as a heading over the rows inside of it; those of all of them are one table."""
    table = Table(style.narrower(len(INDENT)), first=first)
    heading, *lines = table.lines([one for row in rows for one in row.get(inner, [])])
    yield INDENT + heading
    for row in rows:
        yield from map(style.bold, _short(row, [name for name in row if name != inner], style))
        count = len(row.get(inner, []))
        yield from (INDENT + line for line in lines[:count])
        lines = lines[count:]
    yield from lines


def _short(row: Row, names: Sequence[str], style: Style) -> list[str]:
    """Its short fields on as few lines as will do: words as they are, numbers with their names."""
    lines = [""]
    for name in names:
        value = row.get(name)
        if value in (None, "", [], {}):
            continue
        text = in_one_line(value, style, name=name, brief=True)
        text = text if isinstance(value, str | list) else f"{clean(without_unit(name))} {text}"
        joined = f"{lines[-1]}{GAP}{text}" if lines[-1] else text
        if style.columns is None or width(joined) <= style.columns:
            lines[-1] = joined
        else:
            lines += wrapped(text, style.columns)
    return [line for line in lines if line]
