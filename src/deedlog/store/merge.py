"""Add an export's ops and blobs to a store, never dropping or overwriting what it has.

An op that is there already is left alone. An op of which a change does not fit what the store
has is kept in the log, not applied, and so is everything that was built on it elsewhere. Numbers
are no reason for that: see `settle`.
"""

from __future__ import annotations

import tempfile
import typing
from functools import cache
from types import UnionType

from deedlog.core.entry import GENESIS, Op, link, patched
from deedlog.core.errors import Invalid
from deedlog.ports import Gone
from deedlog.store.blob import Blob, check_blob, put_blob
from deedlog.store.change import append, lock_head, put_body, put_number, put_op, put_search, stored_body
from deedlog.store.database import broken
from deedlog.store.export import header_of, read_line
from deedlog.store.held import Held
from deedlog.store.number import renumbers
from deedlog.store.replay import follows
from deedlog.store.rows import EVENT, OP, entity_row, event_of, event_row, op_of, op_row, search_row
from deedlog.store.settle import settle
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity
    from deedlog.store.database import Database, Transaction

MOST_LINES = 100


def merge(database: Database, lines: Iterator[str], op: Op, *, anyway: bool = False) -> dict[str, object]:
    """Add what the store lacks; `op` is for what it has to change itself.

    Read everything first: a slow source must not keep other writers waiting, a bad line must change nothing.
    """
    try:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as copy:
            verified = _copied(lines, copy)
            if not verified and not anyway:
                raise Invalid(
                    "the export is not what was exported: its lines do not give the hash in its first one",
                    hint="nothing was imported; export again, or import it `--anyway` if you trust whoever changed it",
                )
            answer = database.write(lambda transaction: _merged(transaction, database.project, copy, op))
    except OSError as error:
        raise broken(f"the import could not be read or copied: {error.strerror}", "nothing was imported") from error
    database.ring()
    return {**answer, "verified": verified}


def _copied(lines: Iterator[str], copy: IO[str]) -> bool:
    """Check and copy every line; returns whether they still are what was exported."""
    header = header_of(next(lines, ""))
    count, blobs, seq, previous = 0, 0, 0, GENESIS
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        try:
            found = read_line(line)
            if isinstance(found, Blob):
                check_blob(found)
        except (ValueError, RecursionError) as error:
            raise _wrong(number, error) from error
        if isinstance(found, Blob):
            blobs += 1
        else:
            count += 1
            for event in found[1]:
                seq, previous = event.seq, link(previous, op_row(found[0]), event_row(event))
        copy.write(line.rstrip("\n") + "\n")
    for what, here, there in (("ops", count, header.ops), ("blobs", blobs, header.blobs)):
        if here != there:
            raise Invalid(f"the export is cut short: it has {here} of {there} {what}", hint="nothing was imported")
    return (seq, previous) == (header.head, header.hash)


def _wrong(number: int, error: Exception) -> Invalid:
    return Invalid(f"line {number}: {error}", hint="nothing was imported", data={"line": number})


def _merged(transaction: Transaction, project: str, copy: IO[str], op: Op) -> dict[str, object]:
    lock_head(transaction, project)  # a repair must not remove a blob that is about to be named, nobody lock a graph
    merging = _Merge(transaction, project, Held(transaction, project, op))
    copy.seek(0)
    for number, line in enumerate(copy, 2):
        try:
            merging.take(read_line(line))
        except ValueError as error:
            raise _wrong(number, error) from error
    moved = settle(transaction, project, op, merging.newcomers, merging.wishes) if merging.added else []
    return {
        "added": merging.added,
        "known": merging.known,
        "renumbered": _bounded([str(one) for one in moved]),
        "conflicts": _bounded(merging.conflicts),
    }


def _bounded(lines: list[str]) -> list[str]:
    return [*lines[:MOST_LINES], "and more"] if len(lines) > MOST_LINES else lines


class _Merge:
    def __init__(self, transaction: Transaction, project: str, held: Held) -> None:
        self._transaction = transaction
        self._project = project
        self._held = held
        self._apart: set[tuple[str, str]] = set()  # things whose history goes another way there
        self.newcomers: set[tuple[str, str]] = set()
        self.wishes: dict[tuple[str, str], int] = {}  # numbers that other stores gave, higher than here
        self.added = 0
        self.known = 0
        self.conflicts: list[str] = []

    def take(self, found: Blob | tuple[Op, list[Event]]) -> None:
        if not isinstance(found, Blob):
            self._add(*found)
        elif found.packed is not None:
            put_blob(self._transaction, self._project, found)

    def _add(self, op: Op, events: list[Event]) -> None:
        stored = self._stored("op_id", op.op_id)
        if stored:
            self.known += 1
            self._compare(op, events, stored)
            return
        if op.idempotency_key and (other := self._stored("idempotency_key", op.idempotency_key)):
            self.conflicts.append(f"op {op.op_id} lost its idempotency key: {other.op_id} has it here")
            op = op.replace(idempotency_key=None)
        self.added += 1
        put_op(self._transaction, self._project, op)
        events = self._fitting(op, events)
        values = [self._put(event) if event.applied and event.entity else None for event in events]
        for seq, value in enumerate(values, append(self._transaction, self._project, op, events)):
            if value is not None:
                put_search(self._transaction, self._project, value, seq)

    def _stored(self, column: str, value: str) -> Op | None:
        sql = f"SELECT {OP} FROM op WHERE project = ? AND {column} = ?"  # noqa: S608
        rows = self._transaction.query(sql, (self._project, value))
        return op_of(rows[0]) if rows else None

    def _compare(self, op: Op, events: list[Event], stored: Op) -> None:
        sql = f"SELECT {EVENT} FROM event WHERE project = ? AND op_id = ? ORDER BY seq"  # noqa: S608
        here = [event_of(row) for row in self._transaction.query(sql, (self._project, op.op_id))]
        plain = [[event.replace(seq=0, applied=True) for event in some] for some in (events, here)]
        if plain[0] != plain[1] or op.replace(idempotency_key=stored.idempotency_key) != stored:
            self.conflicts.append(f"op {op.op_id} is here with other contents, which stay")
        for event, kept in zip(events, here, strict=False):
            if event.applied != kept.applied and not renumbers(event):
                self._apart.add((event.entity, event.entity_id))

    def _fitting(self, op: Op, events: list[Event]) -> list[Event]:
        """The events, none of them applied when one does not fit: an op happens as a whole or not at all."""
        changes = [event for event in events if event.applied and event.entity]
        misfits = [event for event in changes if not self._fits(event)]
        if not misfits:
            return events
        self._wish([event for event in changes if renumbers(event)])
        self._apart |= {(event.entity, event.entity_id) for event in changes if not renumbers(event)}
        if names := ", ".join(f"{event.entity} {event.entity_id}" for event in misfits if not renumbers(event)):
            self.conflicts.append(f"op {op.op_id} ({op.operation}) was not applied: {names} is another here")
        return [event.replace(applied=False) for event in events]

    def _wish(self, events: list[Event]) -> None:
        for event in events:
            key, number = (event.entity, event.entity_id), (event.after or {})["number"]
            self.wishes[key] = max(number, self.wishes.get(key, 0))

    def _fits(self, event: Event) -> bool:
        if (event.entity, event.entity_id) in self._apart and not renumbers(event):
            return False
        return follows(event, *stored_body(self._transaction, self._project, TABLES[event.entity], event.entity_id))

    def _put(self, event: Event) -> Entity | Gone:
        table = TABLES[event.entity]
        version, old = stored_body(self._transaction, self._project, table, event.entity_id)
        body = patched(old, event.before, event.after)
        if body is not None and renumbers(event):
            put_number(self._transaction, self._project, table, event.entity_id, body)
            return table.entity.load(event.entity_id, version, body)
        if old is None:
            self.newcomers.add((event.entity, event.entity_id))
        entity = _entity(event, body if body is not None else old or {})
        self._held.check(event, entity)
        put_body(self._transaction, self._project, entity, body)
        return Gone(entity=entity) if body is None else entity


def _entity(event: Event, body: dict[str, Any]) -> Entity:
    """The thing with such a body, before this event's version is given to it; `ValueError` when it is none."""
    table = TABLES[event.entity]
    try:
        entity = table.entity.load(event.entity_id, event.entity_version - 1, body)
        entity_row(table, entity.id, entity.version, body)
        search_row(entity, 0)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"{event.entity} {event.entity_id[:80]!r} has not the fields of one") from error
    for name, types in _types(event.entity).items():
        if name in body and type(body[name]) not in types and typing.Any not in types:
            raise ValueError(f"{event.entity} {event.entity_id[:80]!r}: {name} has the wrong type")
    return entity


@cache
def _types(kind: str) -> dict[str, tuple[object, ...]]:
    """The types the fields of such a thing may have."""
    hints = typing.get_type_hints(TABLES[kind].entity, localns=vars(typing))
    return {name: tuple(typing.get_origin(arm) or arm for arm in _arms(hint)) for name, hint in hints.items()}


def _arms(hint: object) -> tuple[object, ...]:
    arms = typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return (*arms, int) if float in arms else arms  # JSON has one kind of number: 50 may stand where 50.5 may
