"""What the log tells: every thing as its events left it, and the tables made anew from that."""

from __future__ import annotations

from itertools import groupby, islice

from deedlog.core.entry import patched
from deedlog.core.value import Value
from deedlog.store.database import damaged
from deedlog.store.number import numbered_as, renumbers
from deedlog.store.rows import EVENT, SEARCH, entity_row, event_of, marks, search_row
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.store.database import Reader, Row, Transaction
    from deedlog.store.tables import Table

BATCH = 500


class Thing(Value):
    """A stored thing, and the event that left it so."""

    id: str
    version: int
    body: dict[str, Any]
    seq: int

    def row(self, table: Table) -> Row:
        try:
            return entity_row(table, self.id, self.version, self.body)
        except KeyError as error:
            raise damaged(f"event {self.seq} leaves {table.name} {self.id} without {error}") from error

    def search_row(self, table: Table) -> Row | None:
        try:
            return search_row(table.entity.load(self.id, self.version, self.body), self.seq)
        except (AttributeError, KeyError, TypeError) as error:
            raise damaged(f"event {self.seq} leaves {table.name} {self.id} unreadable") from error


def follows(event: Event, version: int, body: dict[str, Any] | None) -> bool:
    """Whether an event can have happened to a thing as it was; it was not there when `body` is None."""
    if event.before is None or body is None:
        return event.before is None and body is None and event.after is not None and event.entity_version == 1
    if event.after is not None and renumbers(event):
        return body["number"] == event.before["number"] < event.after["number"]  # type: ignore[no-any-return]
    if event.entity_version != version + 1:
        return False
    if event.after is None:
        return event.before == numbered_as(event, body)
    added = event.after.keys() - event.before.keys()
    return all(n in body and body[n] == v for n, v in event.before.items()) and not added & body.keys()


def events(reader: Reader, project: str, test: str, values: tuple[object, ...], order: str) -> Iterator[Event]:
    sql = f"SELECT {EVENT} FROM event WHERE project = ? AND {test} ORDER BY {order}"  # noqa: S608
    return map(event_of, reader.stream(sql, (project, *values)))


def things(reader: Reader, project: str, table: Table, complain: Callable[[str], object]) -> Iterator[Thing]:
    """Every thing of one kind that is there according to the log, in the order of their ids."""
    found = events(reader, project, "entity = ? AND applied = 1", (table.entity.kind,), "entity_id, seq")
    for entity_id, history in groupby(found, key=lambda event: event.entity_id):
        version, body, seq = 0, None, 0
        for event in history:
            if not follows(event, version, body):
                complain(f"event {event.seq} does not follow from what happened to {table.name} {entity_id} before")
            body, seq = patched(body, event.before, event.after), event.seq
            if not renumbers(event):
                version = 0 if body is None else event.entity_version
        if body is not None:
            yield Thing(id=entity_id, version=version, body=body, seq=seq)


def subject_rows(reader: Reader, project: str) -> Iterator[Row]:
    """Which event is about what, as (seq, uri) in that order."""
    for event in events(reader, project, "seq > ?", (0,), "seq"):
        yield from ((event.seq, uri) for uri in sorted(set(event.subjects)))


def rebuild(transaction: Transaction, project: str) -> int:
    """Make every table anew from the log; returns how many things there are."""

    def renew(table: str, columns: str, rows: Iterable[Row]) -> int:
        transaction.execute(f"DELETE FROM {table} WHERE project = ?", (project,))  # noqa: S608
        return put_all(table, columns, rows)

    def put_all(table: str, columns: str, rows: Iterable[Row]) -> int:
        sql = f"INSERT INTO {table} (project, {columns}) VALUES (?, {marks(columns.split(', '))})"  # noqa: S608
        done, rest = 0, iter(rows)
        while batch := [(project, *row) for row in islice(rest, BATCH)]:
            transaction.execute_many(sql, batch)
            done += len(batch)
        return done

    renew("subject", "seq, uri", subject_rows(transaction, project))
    renew("search", SEARCH, ())
    count = 0
    for table in TABLES.values():
        count += renew(table.name, table.row, (t.row(table) for t in things(transaction, project, table, _ignore)))
        found = (t.search_row(table) for t in things(transaction, project, table, _ignore))
        put_all("search", SEARCH, (row for row in found if row is not None))
    return count


def _ignore(_complaint: str) -> None:
    """The chain tells whether the log is whole; what is in it is taken as it is."""
