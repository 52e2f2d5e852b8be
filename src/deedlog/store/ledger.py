"""The ledger in SQL, the same on both databases: what is stored, what happened, and the one way to write."""

from __future__ import annotations

import json
import time

from deedlog.core.entry import GENESIS, Event, Op, difference, dumps, link
from deedlog.core.errors import Conflict, NotFound
from deedlog.core.words import fold
from deedlog.ports import EventQuery, Gone, Hit
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from deedlog.core.page import Key
    from deedlog.core.value import Entity
    from deedlog.ports import Stored, Watch
    from deedlog.store.database import Database, Row, Transaction
    from deedlog.store.tables import Table

OP = "op_id, operation, effect, actor, at, cause, idempotency_key, arguments_digest, undo_of, answer"
EVENT = "seq, op_id, kind, entity, entity_id, entity_version, subjects, before_fields, after_fields, applied"
STOP_SECONDS = 1.0
CONFLICT_HINT = "somebody else was faster: read it again, then repeat the call"


def op_of(row: Row) -> Op:
    names = OP.split(", ")
    return Op(**{**dict(zip(names, row, strict=True)), "answer": json.loads(row[-1])})


def op_row(op: Op) -> Row:
    fields = op.fields()
    return tuple(dumps(fields[name]) if name == "answer" else fields[name] for name in OP.split(", "))


def event_of(row: Row) -> Event:
    seq, op_id, kind, entity, entity_id, version, subjects, before, after, applied, *more = row
    operation, actor, at = more or ("", "", 0)
    return Event(
        seq=seq,
        op_id=op_id,
        kind=kind,
        entity=entity,
        entity_id=entity_id,
        entity_version=version,
        subjects=json.loads(subjects),
        before=before and json.loads(before),
        after=after and json.loads(after),
        applied=bool(applied),
        operation=operation,
        actor=actor,
        at=at,
    )


def event_row(event: Event) -> Row:
    return (
        event.seq,
        event.op_id,
        event.kind,
        event.entity,
        event.entity_id,
        event.entity_version,
        dumps(event.subjects),
        None if event.before is None else dumps(event.before),
        None if event.after is None else dumps(event.after),
        int(event.applied),
    )


def marks(row: Sequence[object]) -> str:
    return ", ".join("?" * len(row))


class SqlLedger:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.project = database.project

    def get(self, entity: type[Stored], entity_id: str) -> Stored:
        found = self.find_one(entity, entity_id)
        if found is None:
            raise NotFound(
                f"there is no {entity.kind} {entity_id[:80]!r}",
                hint=f"`deedlog {entity.kind} list` shows them",
                data={f"{entity.kind}_id": entity_id[:80]},
            )
        return found

    def find_one(self, entity: type[Stored], entity_id: str) -> Stored | None:
        sql = f"SELECT id, version, body FROM {TABLES[entity.kind].name} WHERE project = ? AND id = ?"  # noqa: S608
        rows = self.database.query(sql, (self.project, entity_id))
        return entity.load(rows[0][0], rows[0][1], json.loads(rows[0][2])) if rows else None

    def find(
        self,
        entity: type[Stored],
        where: Mapping[str, object] | None = None,
        *,
        limit: int,
        before: Key | None = None,
    ) -> list[Stored]:
        table = TABLES[entity.kind]
        tests, values = ["project = ?"], [self.project, *(where or {}).values()]
        tests += [f"{name} = ?" for name in where or {}]
        if before:
            tests.append(f"({table.order}, id) < (?, ?)")
            values += before
        sql = (
            f"SELECT id, version, body FROM {table.name} WHERE {' AND '.join(tests)} "  # noqa: S608
            f"ORDER BY {table.order} DESC, id DESC LIMIT ?"
        )
        rows = self.database.query(sql, (*values, limit))
        return [entity.load(row[0], row[1], json.loads(row[2])) for row in rows]

    def sort_key(self, entity: Entity) -> Key:
        return entity.fields()[TABLES[entity.kind].order], entity.id

    def head(self) -> int:
        rows = self.database.query("SELECT seq FROM head WHERE project = ?", (self.project,))
        return rows[0][0] if rows else 0

    def events(self, query: EventQuery) -> list[Event]:
        columns = ", ".join(f"event.{name}" for name in EVENT.split(", "))
        tests, values = ["event.project = ?", "event.seq > ?"], [self.project, query.after]
        filters = {
            "event.kind": query.kind,
            "op.actor": query.actor,
            "op.operation": query.operation,
            "event.op_id": query.op_id,
            "subject.uri": query.subject,
        }
        for column, value in filters.items():
            if value is not None:
                tests.append(f"{column} = ?")
                values.append(value)
        by_subject = "JOIN subject ON subject.project = event.project AND subject.seq = event.seq"
        sql = (
            f"SELECT {columns}, op.operation, op.actor, op.at FROM event "  # noqa: S608
            "JOIN op ON op.project = event.project AND op.op_id = event.op_id "
            f"{by_subject if query.subject is not None else ''} "
            f"WHERE {' AND '.join(tests)} ORDER BY event.seq LIMIT ?"
        )
        return [event_of(row) for row in self.database.query(sql, (*values, query.limit))]

    def next_events(self, query: EventQuery, seconds: float, stop: Callable[[], bool]) -> list[Event]:
        end = time.monotonic() + seconds
        watch = self.watch()
        try:
            while not (found := self.events(query)):
                left = end - time.monotonic()
                if left <= 0 or stop():
                    break
                watch.wait(min(left, STOP_SECONDS))
            return found
        finally:
            watch.close()

    def op(self, op_id: str) -> Op:
        found = self._ops("op_id = ?", op_id)
        if not found:
            raise NotFound(f"there is no op {op_id[:80]!r}", hint="`deedlog events` shows them")
        return found[0]

    def op_by_key(self, idempotency_key: str) -> Op | None:
        found = self._ops("idempotency_key = ?", idempotency_key)
        return found[0] if found else None

    def last_op(self, actor: str) -> Op | None:
        undone = "SELECT 1 FROM op AS later WHERE later.project = op.project AND later.undo_of = op.op_id"
        found = self._ops(f"actor = ? AND undo_of IS NULL AND NOT EXISTS ({undone})", actor)
        return found[0] if found else None

    def undone_by(self, op_id: str) -> Op | None:
        found = self._ops("undo_of = ?", op_id)
        return found[0] if found else None

    def _ops(self, test: str, value: str) -> list[Op]:
        sql = f"SELECT {OP} FROM op WHERE project = ? AND {test} ORDER BY op_id DESC LIMIT 1"  # noqa: S608
        return [op_of(row) for row in self.database.query(sql, (self.project, value))]

    def search(self, words: Sequence[str], kinds: Sequence[str], limit: int) -> list[Hit]:
        tests, values = ["project = ?"], [self.project]
        for word in words:
            tests.append("folded LIKE ? ESCAPE '!'")
            values.append("%" + word.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%")
        if kinds:
            tests.append(f"kind IN ({marks(kinds)})")
            values += kinds
        sql = (
            f"SELECT uri, kind, title, text, seq FROM search WHERE {' AND '.join(tests)} "  # noqa: S608
            "ORDER BY seq DESC LIMIT ?"
        )
        rows = self.database.query(sql, (*values, limit))
        return [Hit(uri=r[0], kind=r[1], title=r[2], text=r[3], seq=r[4]) for r in rows]

    def watch(self) -> Watch:
        return self.database.watch()

    def close(self) -> None:
        self.database.close()

    def write(self, op: Op, values: Sequence[Entity | Gone]) -> Op:
        with self.database.write() as transaction:
            if not put_op(transaction, self.project, op):
                sql = f"SELECT {OP} FROM op WHERE project = ? AND idempotency_key = ?"  # noqa: S608
                return op_of(transaction.query(sql, (self.project, op.idempotency_key))[0])
            events = [change(transaction, self.project, op, value) for value in _in_order(values)]
            if not events:
                events = [_called(op)]
            append(transaction, self.project, op, events)
        self.database.ring()
        return op


def _in_order(values: Sequence[Entity | Gone]) -> list[Entity | Gone]:
    """Always the same order, so that two writers of the same things cannot block each other."""

    def key(value: Entity | Gone) -> tuple[str, str]:
        entity = value.entity if isinstance(value, Gone) else value
        return entity.kind, entity.id

    return sorted(values, key=key)


def put_op(transaction: Transaction, project: str, op: Op) -> bool:
    """Store an op; False when its id or its idempotency key is there already."""
    row = op_row(op)
    sql = f"INSERT INTO op (project, {OP}) VALUES (?, {marks(row)}) ON CONFLICT DO NOTHING"  # noqa: S608
    return transaction.execute(sql, (project, *row)) == 1


def append(transaction: Transaction, project: str, op: Op, events: list[Event]) -> None:
    """Give events their place in the log. The head row is taken last: it is where writers meet."""
    seq, previous = take_head(transaction, project, len(events))
    rows, subjects = [], []
    head = op_row(op)
    for place, event in enumerate(events, seq + 1):
        row = event_row(event.replace(seq=place))
        previous = link(previous, head, row)
        rows.append((project, *row, previous))
        subjects += [(project, uri, place) for uri in dict.fromkeys(event.subjects)]
    sql = f"INSERT INTO event (project, {EVENT}, hash) VALUES ({marks(rows[0])})"  # noqa: S608
    transaction.execute_many(sql, rows)
    if subjects:
        transaction.execute_many("INSERT INTO subject (project, uri, seq) VALUES (?, ?, ?)", subjects)
    transaction.execute("UPDATE head SET hash = ? WHERE project = ?", (previous, project))


def take_head(transaction: Transaction, project: str, count: int) -> tuple[int, str]:
    """The last seq and hash, with the counter already moved on for `count` new events."""
    sql = (
        "INSERT INTO head (project, seq, hash) VALUES (?, ?, ?) "
        "ON CONFLICT (project) DO UPDATE SET seq = head.seq + excluded.seq RETURNING seq, hash"
    )
    seq, previous = transaction.query(sql, (project, count, GENESIS))[0]
    return seq - count, previous


def _called(op: Op) -> Event:
    """The event of a call that changed the world but none of our tables."""
    return Event(
        seq=0,
        op_id=op.op_id,
        kind=f"{op.operation}.called",
        entity="",
        entity_id="",
        entity_version=0,
        subjects=[],
        before=None,
        after=None,
    )


def change(transaction: Transaction, project: str, op: Op, value: Entity | Gone) -> Event:
    """Write one value; return the event that says what changed."""
    entity = value.entity if isinstance(value, Gone) else value
    table = TABLES[entity.kind]
    old = stored_body(transaction, project, table, entity.id)
    if (old[0] if old else 0) != entity.version:
        raise changed(entity)
    new = None if isinstance(value, Gone) else entity.body()
    before, after = difference(old and old[1], new)
    if not put_body(transaction, project, table, entity, new):
        raise changed(entity)
    verb = "created" if old is None else "deleted" if new is None else "changed"
    return Event(
        seq=0,
        op_id=op.op_id,
        kind=f"{entity.kind}.{verb}",
        entity=entity.kind,
        entity_id=entity.id,
        entity_version=entity.version + 1,
        subjects=entity.subjects(),
        before=before,
        after=after,
    )


def changed(entity: Entity) -> Conflict:
    message = f"{entity.kind} {entity.id!r} changed since it was read"
    return Conflict(message, hint=CONFLICT_HINT, data={f"{entity.kind}_id": entity.id})


def stored_body(transaction: Transaction, project: str, table: Table, entity_id: str) -> tuple[int, Any] | None:
    sql = f"SELECT version, body FROM {table.name} WHERE project = ? AND id = ?"  # noqa: S608
    rows = transaction.query(sql, (project, entity_id))
    return (rows[0][0], json.loads(rows[0][1])) if rows else None


def put_body(transaction: Transaction, project: str, table: Table, entity: Entity, body: dict[str, Any] | None) -> bool:
    """Insert, update or delete one row and its search text; False when its version was not `entity.version`."""
    if body is None:
        transaction.execute("DELETE FROM search WHERE project = ? AND uri = ?", (project, entity.uri))
        sql = f"DELETE FROM {table.name} WHERE project = ? AND id = ? AND version = ?"  # noqa: S608
        return transaction.execute(sql, (project, entity.id, entity.version)) == 1
    columns = ("version", *table.lifted, "body")
    values = (entity.version + 1, *table.columns(entity, body), dumps(body))
    if entity.version == 0:
        names = ", ".join(columns)
        sql = (
            f"INSERT INTO {table.name} (project, id, {names}) VALUES (?, ?, {marks(columns)}) "  # noqa: S608
            "ON CONFLICT DO NOTHING"
        )
        done = transaction.execute(sql, (project, entity.id, *values)) == 1
    else:
        settings = ", ".join(f"{name} = ?" for name in columns)
        sql = f"UPDATE {table.name} SET {settings} WHERE project = ? AND id = ? AND version = ?"  # noqa: S608
        done = transaction.execute(sql, (*values, project, entity.id, entity.version)) == 1
    if done:
        put_search(transaction, project, entity)
    return done


def put_search(transaction: Transaction, project: str, entity: Entity) -> None:
    title, text = entity.search_text()
    if not title:
        return
    sql = (
        "INSERT INTO search (project, uri, kind, title, text, folded, seq) "
        "VALUES (?, ?, ?, ?, ?, ?, coalesce((SELECT seq FROM head WHERE project = ?), 0)) "
        "ON CONFLICT (project, uri) DO UPDATE SET title = excluded.title, text = excluded.text, "
        "folded = excluded.folded, seq = excluded.seq"
    )
    transaction.execute(sql, (project, entity.uri, entity.kind, title, text, fold(f"{title} {text}"), project))
