"""Rows under each other."""

from __future__ import annotations

from deedlog.faces.cli.style import in_one_line, without_unit
from deedlog.faces.cli.terminal import clean, cut, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from deedlog.faces.cli.style import Style

    Row = dict[str, Any]

GAP = "  "
LEAST_WORD, LEAST_URI, LEAST_TEXT = 8, 20, 16  # columns to which words, lists of URIs and long texts may be cut
LONGEST_WORD = 20
LONGEST_NAME = 40  # up to which the first column, by which a row is called, is never cut
LEAST_SHARE = 1 / 3  # of rows that have a column: one that fewer have gives way to those that say more
MOST_PADDING = 60  # without a terminal: a longer cell does not push those of other rows aside
WHOLE, WHOLE_ENDINGS = ("id", "uri", "seq", "at", "status"), ("_id", "Id", "_at", "At")
IMPLIED = {"operation": "kind", "kind": "uri"}  # a column, and the one beside which it says little


class Table:
    """It can go on where it stopped: columns keep their place, the heading is shown once."""

    def __init__(self, style: Style, names: Iterable[str] = (), first: Sequence[str] = ()) -> None:
        self._style = style
        self._names = list(names)
        self._first = first
        self._widths: list[int] = []
        self._left_out: list[str] = []
        self._called_by = ""

    def lines(self, rows: list[Row]) -> Iterator[str]:
        first = not self._widths
        if first:
            self._names = self._names or _in_order(rows)
            self._fit(rows)
            yield self._style.bold(self._line([self._heading(name) for name in self._names]))
        for row in rows:
            yield self._line([self._cell(row, name) for name in self._names])
        if first and self._left_out:
            hint = f"--json or a wider terminal shows also: {clean(', '.join(self._left_out))}"
            yield from map(self._style.dim, wrapped(hint, self._style.columns or len(hint)))

    def _heading(self, name: str) -> str:
        return clean(name if self._style.columns is None else without_unit(name))

    def _cell(self, row: Row, name: str) -> str:
        value = row.get(name)
        if self._style.columns is not None and isinstance(value, list):
            scheme = str(row.get("kind", "")).partition(".")[0] + "://"  # what the kind says needs no second word
            value = [item.removeprefix(scheme) if isinstance(item, str) else item for item in value]
        return in_one_line(value, self._style, name=name, brief=True)

    def _fit(self, rows: list[Row]) -> None:
        """Choose columns and widths; where the terminal is too narrow, texts are cut and columns left out."""
        wanted = {n: max([width(self._heading(n)), *(width(self._cell(row, n)) for row in rows)]) for n in self._names}
        if self._style.columns is None:
            if self._style.brief:
                self._names = [n for n in self._first if n in wanted and _says_something(rows, n)] or self._names
            self._widths = [min(wanted[name], MOST_PADDING) for name in self._names]
            return
        every = self._by_importance(wanted, rows) if self._first else list(self._names)
        if wanted[self._names[0]] <= LONGEST_NAME:
            self._called_by = self._names[0]
        least = {n: self._least(n, wanted[n], uris=_has_uris(rows, n)) for n in wanted}
        implied = [name for name, by in IMPLIED.items() if by in wanted]
        while implied and self._total(wanted) > self._style.columns:
            self._drop(implied.pop(0))
        while len(self._names) > 1 and self._total(least) > self._style.columns:
            self._drop(next((name for name in self._names[:0:-1] if _is_rare(rows, name)), self._names[-1]))
        level = max(wanted.values())
        while level > LEAST_WORD and self._total(_levelled(wanted, least, level)) > self._style.columns:
            level -= 1
        self._widths = [_levelled(wanted, least, level)[name] for name in self._names]
        self._left_out = [name for name in every if name not in self._names]

    def _by_importance(self, wanted: dict[str, int], rows: list[Row]) -> list[str]:
        """Show the first columns, and others that take no room from them; returns all that say something."""
        others = [name for name in self._names if name not in self._first and _says_something(rows, name)]
        self._names = [name for name in self._first if name in wanted and _says_something(rows, name)]
        every = [*self._names, *others]
        for name in others:
            self._names.append(name)
            if self._total(wanted) > (self._style.columns or 0):
                self._names.pop()
        return every

    def _drop(self, name: str) -> None:
        if name in self._names:
            self._names.remove(name)

    def _total(self, widths: dict[str, int]) -> int:
        return sum(widths[name] for name in self._names) + len(GAP) * (len(self._names) - 1)

    def _least(self, name: str, wanted: int, *, uris: bool) -> int:
        """To how few columns a cell may be cut; what one copies or compares is never cut."""
        if self._is_whole(name):
            return wanted
        return min(wanted, LEAST_URI if uris else LEAST_WORD if wanted <= LONGEST_WORD else LEAST_TEXT)

    def _line(self, cells: list[str]) -> str:
        if self._style.columns is not None:
            fields = zip(self._names, cells, self._widths, strict=True)
            cells = [cell if self._is_whole(name) else _cut(name, cell, room) for name, cell, room in fields]
        return GAP.join(map(padded, cells, self._widths)).rstrip()

    def _is_whole(self, name: str) -> bool:
        return name in (self._called_by, *WHOLE) or name.endswith(WHOLE_ENDINGS)


def _in_order(rows: list[Row]) -> list[str]:
    """Every column once; what only some rows have stands where they have it."""
    names: list[str] = []
    for row in rows:
        place = 0
        for name in row:
            if name not in names:
                names.insert(place, name)
            place = names.index(name) + 1
    return names


def _says_something(rows: list[Row], name: str) -> bool:
    return any(row.get(name) not in (None, "", []) for row in rows)


def _is_rare(rows: list[Row], name: str) -> bool:
    return sum(_says_something([row], name) for row in rows) < LEAST_SHARE * len(rows)


def _has_uris(rows: list[Row], name: str) -> bool:
    return any("://" in str(item) for row in rows if isinstance(row.get(name), list) for item in row[name])


def _cut(name: str, text: str, room: int) -> str:
    return cut(text[::-1], room)[::-1] if name == "kind" else cut(text, room)  # a kind's end tells what happened


def _levelled(wanted: dict[str, int], least: dict[str, int], level: int) -> dict[str, int]:
    return {name: max(least[name], min(wanted[name], level)) for name in wanted}
