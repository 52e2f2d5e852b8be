"""What is wrong with a store, a line each: its log, and whether the log gives what the tables hold."""

from __future__ import annotations

from deedlog.core.entry import GENESIS, link
from deedlog.core.errors import DeedlogError
from deedlog.store.named import blob_problems
from deedlog.store.replay import subject_rows, things
from deedlog.store.rows import EVENT, OP, SEARCH, loads, of_table
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from deedlog.store.database import Reader, Row
    from deedlog.store.tables import Table

    Keyed = Iterator[tuple[Any, object]]

UNREADABLE = (DeedlogError, AttributeError, KeyError, RecursionError, TypeError, ValueError)


def problems(reader: Reader, project: str) -> Iterator[str]:
    yield from log_problems(reader, project)
    yield from _careful("the subjects of events", _subjects(reader, project))
    for table in TABLES.values():
        yield from _careful(f"table {table.name}", _table(reader, project, table))
        yield from _careful(f"the search for {table.name}", _search(reader, project, table))
        if table.entity.numbered:
            yield from _careful(f"the numbers of {table.name}", _numbers(reader, project, table))
    yield from _careful("the search", _unknown(reader, project))
    yield from _careful("the blobs", blob_problems(reader, project))


def log_problems(reader: Reader, project: str) -> Iterator[str]:
    yield from _careful("the log", _chain(reader, project))
    yield from _careful("the ops", _idle_ops(reader, project))


def _careful(what: str, found: Iterator[str]) -> Iterator[str]:
    """What is found, and the fact when something cannot be read at all."""
    try:
        yield from found
    except UNREADABLE as error:
        reason = error.message if isinstance(error, DeedlogError) else f"{type(error).__name__}: {error}"
        yield f"{what} cannot be checked: {reason}"


def _chain(reader: Reader, project: str) -> Iterator[str]:
    columns = f"{of_table('op', OP)}, {of_table('event', EVENT)}, event.hash"
    sql = (
        f"SELECT {columns} FROM event LEFT JOIN op ON op.project = event.project AND op.op_id = event.op_id "  # noqa: S608
        "WHERE event.project = ? ORDER BY event.seq"
    )
    op_width, last, previous = len(OP.split(", ")), 0, GENESIS
    for row in reader.stream(sql, (project,)):
        op, event, kept = row[:op_width], row[op_width:-1], row[-1]
        seq, op_id = event[:2]
        if seq != last + 1:
            yield _missing(last + 1, seq - 1)
        elif op[0] is None:
            yield f"event {seq} belongs to op {op_id}, which is missing"
        elif link(previous, op, event) != kept:
            yield f"event {seq} of op {op_id} is not what was written"
        last, previous = seq, kept
    yield from _head(reader, project, last, previous)


def _missing(first: int, last: int) -> str:
    return f"event {first} is missing" if first == last else f"events {first} to {last} are missing"


def _head(reader: Reader, project: str, last: int, previous: str) -> Iterator[str]:
    found = reader.query("SELECT seq, hash FROM head WHERE project = ?", (project,)) or [(0, GENESIS)]
    seq, kept = found[0]
    if seq > last:
        yield _missing(last + 1, seq)
    elif (seq, kept) != (last, previous):
        yield f"the log ends with event {last}, its head says {seq} or has another hash"


def _idle_ops(reader: Reader, project: str) -> Iterator[str]:
    events = "SELECT 1 FROM event WHERE event.project = op.project AND event.op_id = op.op_id"
    sql = f"SELECT op_id FROM op WHERE project = ? AND NOT EXISTS ({events}) ORDER BY op_id"  # noqa: S608
    for row in reader.stream(sql, (project,)):
        yield f"op {row[0]} has no events"


def _subjects(reader: Reader, project: str) -> Iterator[str]:
    expected = ((row, True) for row in subject_rows(reader, project))
    sql = "SELECT seq, uri FROM subject WHERE project = ? ORDER BY seq, uri"
    found = ((row, True) for row in reader.stream(sql, (project,)))
    yield from _differences(expected, found, lambda key: f"the subject {key[1]} of event {key[0]}")


def _table(reader: Reader, project: str, table: Table) -> Iterator[str]:
    complaints: list[str] = []
    sql = f"SELECT {table.row} FROM {table.name} WHERE project = ? ORDER BY id"  # noqa: S608
    expected = (_parsed(thing.row(table)) for thing in things(reader, project, table, complaints.append))
    found = (_parsed(row) for row in reader.stream(sql, (project,)))
    for problem in _differences(expected, found, lambda key: f"{table.name} {key}"):
        yield from _taken(complaints)
        yield problem
    yield from _taken(complaints)


def _taken(complaints: list[str]) -> list[str]:
    taken = complaints[:]
    complaints.clear()
    return taken


def _parsed(row: Row) -> tuple[Any, object]:
    """A row by its id, with the body as data: the order of its keys says nothing."""
    try:
        return row[0], (*row[1:-1], loads(row[-1], ""))
    except DeedlogError:
        return row[0], row


def _search(reader: Reader, project: str, table: Table) -> Iterator[str]:
    rows = (thing.search_row(table) for thing in things(reader, project, table, lambda _: None))
    expected = ((row[0], tuple(row)) for row in rows if row is not None)
    sql = f"SELECT {SEARCH} FROM search WHERE project = ? AND kind = ? ORDER BY uri"  # noqa: S608
    found = ((row[0], tuple(row)) for row in reader.stream(sql, (project, table.entity.kind)))
    yield from _differences(expected, found, lambda key: f"the search text of {key}")


def _numbers(reader: Reader, project: str, table: Table) -> Iterator[str]:
    sql = f"SELECT number FROM {table.name} WHERE project = ? GROUP BY number HAVING count(*) > 1 ORDER BY number"  # noqa: S608
    for row in reader.stream(sql, (project,)):
        yield f"more than one {table.name} has the number {row[0]}"


def _unknown(reader: Reader, project: str) -> Iterator[str]:
    kinds = ", ".join(f"'{kind}'" for kind in TABLES)
    for table, column, known in (("search", "kind", kinds), ("event", "entity", f"'', {kinds}")):
        sql = f"SELECT DISTINCT {column} FROM {table} WHERE project = ? AND {column} NOT IN ({known})"  # noqa: S608
        for row in reader.stream(sql, (project,)):
            yield f"table {table} speaks of a kind this program does not know: {row[0]!r}"


def _differences(expected: Keyed, found: Keyed, name: Callable[[Any], str]) -> Iterator[str]:
    """How two sequences differ that are both sorted by key."""
    one, other = next(expected, None), next(found, None)
    while one or other:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield f"{name(one[0])} is missing"
            one = next(expected, None)
        elif one is None or other[0] < one[0]:
            yield f"{name(other[0])} is not in the log"
            other = next(found, None)
        else:
            if one[1] != other[1]:
                yield f"{name(one[0])} is not what the log tells"
            one, other = next(expected, None), next(found, None)
