"""An answer for people: `name: value` lines and tables.

On a terminal they fit its width, with times of day as the reader's clock shows them. Elsewhere
nothing is cut, coloured or converted, so that the text is the same everywhere.
"""

from __future__ import annotations

from deedlog.faces.cli.blocks import groups, inner_rows, rows_under_each_other
from deedlog.faces.cli.style import Style, in_one_line, in_words, without_unit
from deedlog.faces.cli.table import Table
from deedlog.faces.cli.terminal import clean, colourful, columns, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

LEAST_ROOM = 16
ONE_LINE = 60  # a longer list has a line for each item
INDENT, MARK = "  ", "- "
GAPS = 20  # columns that the spaces between those of a table may take
CHILDREN = "children"


def style_of_output(*, brief: bool = False, whole: str = "") -> Style:
    return Style(columns(), colour=colourful(), brief=brief, whole=whole)


def answer_lines(answer: Any, style: Style, first: Sequence[str] = ()) -> Iterator[str]:
    """The lines of any answer; `first` are the columns of its rows that matter most."""
    if not isinstance(answer, dict):
        answer = {"answer": answer}
    if len(answer) == 1 and isinstance(only := next(iter(answer.values())), str):
        yield clean(only).removesuffix("\n")
        return
    yield from _thing(answer, style, first)


def is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _thing(answer: dict[str, Any], style: Style, first: Sequence[str] = ()) -> Iterator[str]:
    """Its fields, then what has parts of its own; a list that comes first is what the answer is about."""
    names = [name for name, value in answer.items() if value is not None and value not in ([], {}, "")]
    parts = [name for name in names if is_table(answer[name]) or isinstance(answer[name], dict)]
    tables = [name for name in parts if is_table(answer[name])]
    inner = inner_rows(answer[tables[0]], first) if tables else ""
    leading = tables[:1] if tables[:1] == list(answer)[:1] and (inner or len(tables) == 1) else []
    for name in leading:
        if inner:
            yield from groups(answer[name], inner, style, first)
        else:
            yield from rows_under_each_other(style, (), first).lines(_flat(answer[name]))
    fields = [name for name in names if name not in parts]
    heads = {name: clean(name if style.columns is None else without_unit(name)) for name in fields}
    longest = max(map(width, heads.values()), default=0)
    for name, head in heads.items():
        yield from _field(name, padded(head + ":", longest + 1) + " ", answer[name], style)
    for name in (name for name in parts if name not in leading):
        lines = list(_part(answer[name], style, first))
        yield style.bold(clean(name) + ":") + ("" if lines else " none")
        yield from lines


def _part(value: Any, style: Style, first: Sequence[str] = ()) -> Iterator[str]:
    """What stands under its name inside of one thing; `first` are the columns of some rows that matter most."""
    inside = style.narrower(len(INDENT))
    if isinstance(value, dict):
        lines = _thing(value, inside)
    elif _fits(rows := _flat(value), inside):
        lines = Table(inside).lines(rows)
    elif first and first[0] in rows[0] and (style.columns or style.brief):
        lines = Table(inside, first=first).lines(rows)
    else:
        lines = _records(value, inside)
    yield from (INDENT + line for line in lines)


def _fits(rows: list[dict[str, Any]], style: Style) -> bool:
    """Whether rows can stand in a table without a text being cut."""
    longest = max(
        sum(width(in_words(value, style, name=name, brief=True)) for name, value in row.items()) for row in rows
    )
    return not _hold_objects(rows) and longest <= (style.columns or ONE_LINE * 2) - GAPS


def _hold_objects(rows: list[dict[str, Any]]) -> bool:
    return any(isinstance(value, dict) for row in rows for value in row.values())


def _records(rows: list[dict[str, Any]], style: Style) -> Iterator[str]:
    """One under the other, with room for long texts."""
    inside = style.narrower(len(MARK))
    for row in rows:
        for number, line in enumerate(_thing(row, inside)):
            yield (" " * len(MARK) if number else MARK) + line


def _flat(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a tree, whose `children` are rows again, each with its branch before its first value."""
    if not any(CHILDREN in row for row in rows):
        return rows
    return list(_branches(rows, "", top=True))


def _branches(rows: list[dict[str, Any]], before: str, *, top: bool = False) -> Iterator[dict[str, Any]]:
    for row in rows:
        last = row is rows[-1]
        branch, below = ("", "") if top else ("└ ", "  ") if last else ("├ ", "│ ")
        first = next(iter(row))
        own = {name: value for name, value in row.items() if name != CHILDREN}
        yield {**own, first: f"{before}{branch}{row[first]}"}
        yield from _branches(row.get(CHILDREN, []), before + below)


def _field(name: str, head: str, value: Any, style: Style) -> Iterator[str]:
    room = None if style.columns is None else max(style.columns - len(head), LEAST_ROOM)
    text = in_words(value, style, name=name)
    lists = isinstance(value, list) and any(isinstance(item, list) for item in value)
    if lists or (isinstance(value, list) and len(text) > min(room or ONE_LINE, ONE_LINE)):
        text = "\n".join(in_one_line(item, style) for item in value)
    lines = text.split("\n") if room is None else wrapped(text, room)
    yield style.dim(head) + lines[0]
    for line in lines[1:]:
        yield " " * len(head) + line
