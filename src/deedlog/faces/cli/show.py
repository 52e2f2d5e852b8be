"""An answer for people: `name: value` lines and tables.

On a terminal they fit its width, with times of day as the reader's clock shows them. Elsewhere
nothing is cut, coloured or converted, so that the text is the same everywhere.
"""

from __future__ import annotations

from deedlog.faces.cli.style import Style, in_words
from deedlog.faces.cli.table import Table
from deedlog.faces.cli.terminal import clean, colourful, columns, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LEAST_ROOM = 16
ONE_LINE = 60  # a longer list has a line for each item


def style_of_output() -> Style:
    return Style(columns(), colour=colourful())


def answer_lines(answer: Any, style: Style) -> Iterator[str]:
    """The lines of any answer."""
    if not isinstance(answer, dict):
        answer = {"answer": answer}
    if len(answer) == 1 and isinstance(only := next(iter(answer.values())), str):
        yield clean(only).removesuffix("\n")
        return
    tables = [name for name, value in answer.items() if is_table(value)]
    leading = tables[:1] == list(answer)[:1]
    shown = list(_tables(answer, tables, style, named=len(tables) > 1 or not leading))
    if leading:
        yield from shown
    fields = {name: value for name, value in answer.items() if name not in tables and value not in ([], {}, "")}
    longest = max(map(width, fields), default=0)
    for name, value in fields.items():
        yield from _field(name, value, longest, style)
    if not leading:
        yield from shown


def is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _tables(answer: dict[str, Any], names: list[str], style: Style, *, named: bool) -> Iterator[str]:
    for name in names:
        if named:
            yield style.bold(clean(name) + ":")
        yield from Table(style).lines(answer[name])


def _field(name: str, value: Any, longest: int, style: Style) -> Iterator[str]:
    head = padded(clean(name) + ":", longest + 1) + " "
    room = None if style.columns is None else max(style.columns - len(head), LEAST_ROOM)
    text = in_words(value, style)
    if isinstance(value, list) and len(text) > min(room or ONE_LINE, ONE_LINE):
        text = "\n".join(in_words(item, style) for item in value)
    lines = text.split("\n") if room is None else wrapped(text, room)
    yield style.dim(head) + lines[0]
    for line in lines[1:]:
        yield " " * len(head) + line
