"""The ledger in SQL, the same on both databases: what is stored, what happened, and the one way to write."""

from __future__ import annotations

import time

from deedlog.core.entry import dumps
from deedlog.core.errors import NotFound
from deedlog.ports import EventQuery, Hit
from deedlog.store import change
from deedlog.store.number import called, take_number
from deedlog.store.rows import EVENT, OP, containing, entity_of, event_of, marks, of_table, op_of
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deedlog.core.entry import Event, Op
    from deedlog.core.page import Key
    from deedlog.core.value import Entity
    from deedlog.ports import Gone, Outside, Seen, Stored, Watch
    from deedlog.store.database import Database

STOP_SECONDS = 1.0
PRINTED = "output"
WORK = f"event.entity <> '{PRINTED}'"  # as the indexes of step 11 have it


class SqlLedger:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.project = database.project
        self._last_kept = ("", b"")  # what is kept is mostly read page by page

    def get(self, entity: type[Stored], entity_id: str) -> Stored:
        found = self.find_one(entity, entity_id)
        if found is None:
            raise NotFound(
                f"there is no {entity.kind} {entity_id[:80]!r}",
                hint=f"{entity.seen_with or entity.kind + '_list'} shows them",
                data={f"{entity.kind}_id": entity_id[:80]},
            )
        return found

    def find_one(self, entity: type[Stored], entity_id: str) -> Stored | None:
        number = called(entity, entity_id) if entity.numbered else None
        test, value = ("id", entity_id) if number is None else ("number", number)
        sql = (
            f"SELECT id, version, body FROM {TABLES[entity.kind].name} WHERE project = ? AND {test} = ? "  # noqa: S608
            "ORDER BY id LIMIT 1"
        )
        rows = self.database.query(sql, (self.project, value))
        return entity_of(entity, rows[0]) if rows else None

    def find(
        self,
        entity: type[Stored],
        where: Mapping[str, object] | None = None,
        *,
        limit: int,
        before: Key | None = None,
        oldest: bool = False,
        holding: Sequence[str] = (),
    ) -> list[Stored]:
        table = TABLES[entity.kind]
        order, beyond = ("ASC", ">") if oldest else ("DESC", "<")
        tests, values = ["project = ?"], [self.project, *(where or {}).values()]
        tests += [f"{name} = ?" for name in where or {}]
        if before:
            tests.append(f"({table.order}, id) {beyond} (?, ?)")
            values += before
        for text in holding:
            tests.append("body LIKE ? ESCAPE '!'")
            values.append(containing(dumps(text)))
        sql = (
            f"SELECT id, version, body FROM {table.name} WHERE {' AND '.join(tests)} "  # noqa: S608
            f"ORDER BY {table.order} {order}, id {order} LIMIT ?"
        )
        rows = self.database.query(sql, (*values, limit))
        return [entity_of(entity, row) for row in rows]

    def count(self, entity: type[Entity], where: Mapping[str, object] | None = None) -> int:
        tests = ["project = ?", *(f"{name} = ?" for name in where or {})]
        sql = f"SELECT count(*) FROM {TABLES[entity.kind].name} WHERE {' AND '.join(tests)}"  # noqa: S608
        return int(self.database.query(sql, (self.project, *(where or {}).values()))[0][0])

    def tally(self, entity: type[Entity], column: str, where: Mapping[str, object] | None = None) -> dict[str, int]:
        tests = ["project = ?", *(f"{name} = ?" for name in where or {})]
        sql = (
            f"SELECT {column}, count(*) FROM {TABLES[entity.kind].name} "  # noqa: S608
            f"WHERE {' AND '.join(tests)} GROUP BY {column}"
        )
        rows = self.database.query(sql, (self.project, *(where or {}).values()))
        return {str(text): int(count) for text, count in rows}

    def next_number(self, entity: type[Entity]) -> int:
        return self.next_numbers(entity, 1)[0]

    def next_numbers(self, entity: type[Entity], count: int) -> range:
        last = self.database.write(lambda transaction: take_number(transaction, self.project, entity, count))
        return range(last - count + 1, last + 1)

    def keep(self, data: bytes) -> str:
        from deedlog.store.blob import pack, put_blob  # few calls need it

        blob = pack(data)
        self.database.write(lambda transaction: put_blob(transaction, self.project, blob))
        return blob.digest

    def kept(self, digest: str) -> bytes:
        from deedlog.store.blob import find_blob, unpack

        last, data = self._last_kept
        if digest and digest == last:
            return data
        blob = find_blob(self.database, self.project, digest)
        if blob is None:
            raise NotFound(f"nothing is kept as {digest[:80]!r}", hint="`deedlog doctor` tells what is missing")
        data = unpack(blob)
        self._last_kept = (digest, data)
        return data

    def sort_key(self, entity: Entity) -> Key:
        return entity.fields()[TABLES[entity.kind].order], entity.id

    def head(self) -> int:
        rows = self.database.query("SELECT seq FROM head WHERE project = ?", (self.project,))
        return rows[0][0] if rows else 0

    def events(self, query: EventQuery) -> list[Event]:
        # one place to start from, so that the database finds the few without walking through all
        start = "event" if query.subject is None else "subject"
        filters = {
            f"{start}.project =": self.project,
            "subject.uri =": query.subject,
            f"{start}.seq >": query.after or None,
            f"{start}.seq <": query.before,
            "event.op_id =": query.op_id,
            "event.kind =": query.kind,
            "coalesce(op.actor, '') =": query.actor,  # not by its index: an actor's ops are many and out of order
            "op.operation =": query.operation,
        }
        given: dict[str, list[object]] = {f"{test} ?": [value] for test, value in filters.items() if value is not None}
        given |= _of_kinds(query)
        by_subject = "subject JOIN event ON event.project = subject.project AND event.seq = subject.seq"
        sql = (
            f"SELECT {of_table('event', EVENT)}, op.operation, op.actor, op.at, op.cause "  # noqa: S608
            f"FROM {'event' if query.subject is None else by_subject} "
            "CROSS JOIN op "  # SQLite keeps this order: from the ops it would have to sort the whole log
            f"WHERE op.project = event.project AND op.op_id = event.op_id AND {' AND '.join(given)} "
            f"ORDER BY {start}.seq {'DESC' if query.last else ''} LIMIT ?"
        )
        values = [value for values in given.values() for value in values]
        found = [event_of(row) for row in self.database.query(sql, (*values, query.limit))]
        return found[::-1] if query.last else found

    def next_events(self, query: EventQuery, seconds: float, stop: Callable[[], bool]) -> list[Event]:
        end = time.monotonic() + seconds
        watch = self.watch()
        try:
            found = self.events(query)
            while not found and (left := end - time.monotonic()) > 0 and not stop():
                if watch.wait(min(left, STOP_SECONDS)):
                    found = self.events(query)
            return found
        finally:
            watch.close()

    def op(self, op_id: str) -> Op:
        found = self._ops("op_id = ?", op_id)
        if not found:
            raise NotFound(f"there is no op {op_id[:80]!r}", hint="event_list shows them")
        return found[0]

    def op_by_key(self, idempotency_key: str) -> Op | None:
        found = self._ops("idempotency_key = ?", idempotency_key)
        return found[0] if found else None

    def last_op(self, actor: str) -> Op | None:
        place = self.head() + 1
        # not by the index of actors: their ops are many and out of order
        while found := self._changing(
            "coalesce(op.actor, '') = ? AND op.undo_of IS NULL AND event.seq < ?", actor, place
        ):
            op, _ = found
            if self.undone_by(op.op_id) is None:
                return op
            place = self.events(EventQuery(op_id=op.op_id, limit=1))[0].seq
        return None

    def undone_by(self, op_id: str) -> Op | None:
        undos: list[Op] = []
        place = 0
        while found := self._changing("op.undo_of = ? AND event.seq > ?", op_id, place):
            undo, place = found
            undos.append(undo)
            op_id = undo.op_id
        return undos[0] if len(undos) % 2 else None  # each one takes the one before it back

    def _changing(self, test: str, *values: object) -> tuple[Op, int] | None:
        """The last op in the log that changed something and passes `test`, and the place of its last change."""
        sql = (
            f"SELECT {of_table('op', OP)}, event.seq FROM event "  # noqa: S608
            "JOIN op ON op.project = event.project AND op.op_id = event.op_id "
            f"WHERE event.project = ? AND event.applied = 1 AND event.entity <> '' AND {test} "
            "ORDER BY event.seq DESC LIMIT 1"
        )
        rows = self.database.query(sql, (self.project, *values))
        return (op_of(rows[0][:-1]), rows[0][-1]) if rows else None

    def _ops(self, test: str, value: str) -> list[Op]:
        sql = f"SELECT {OP} FROM op WHERE project = ? AND {test}"  # noqa: S608
        return [op_of(row) for row in self.database.query(sql, (self.project, value))]

    def changes(self, subject: str) -> int:
        sql = (
            "SELECT count(DISTINCT event.op_id) FROM subject "
            "JOIN event ON event.project = subject.project AND event.seq = subject.seq "
            "WHERE subject.project = ? AND subject.uri = ? AND event.applied = 1"
        )
        return int(self.database.query(sql, (self.project, subject))[0][0])

    def extent(self, subject: str, after: int = 0) -> tuple[int, int]:
        sql = "SELECT count(*), coalesce(max(seq), 0) FROM subject WHERE project = ? AND uri = ? AND seq > ?"
        count, last = self.database.query(sql, (self.project, subject, after))[0]
        return int(count), int(last)

    def nth_last(self, subject: str, number: int) -> int:
        sql = "SELECT seq FROM subject WHERE project = ? AND uri = ? ORDER BY seq DESC LIMIT 1 OFFSET ?"
        rows = self.database.query(sql, (self.project, subject, number - 1))
        return int(rows[0][0]) if rows else 0

    def places(self, entity: type[Entity], *, after: str = "", prefix: str = "", limit: int) -> list[str]:
        from deedlog.store.place import query  # only lists of resources need it

        sql, values = query(entity, after, prefix)
        return [str(row[0]) for row in self.database.query(sql, (self.project, *values, limit))]

    def search(self, words: Sequence[str], kinds: Sequence[str], limit: int) -> list[Hit]:
        tests, values = ["search.project = ?"], [self.project]
        for word in words:
            tests.append("search.folded LIKE ? ESCAPE '!'")
            values.append(containing(word))
        if kinds:
            tests.append(f"search.kind IN ({marks(kinds)})")
            values += kinds
        sql = (
            "SELECT search.uri, search.kind, search.title, search.text, search.seq, op.at FROM search "  # noqa: S608
            "LEFT JOIN event ON event.project = search.project AND event.seq = search.seq "
            "LEFT JOIN op ON op.project = event.project AND op.op_id = event.op_id "
            f"WHERE {' AND '.join(tests)} ORDER BY search.seq DESC LIMIT ?"
        )
        rows = self.database.query(sql, (*values, limit))
        return [Hit(uri=r[0], kind=r[1], title=r[2], text=r[3], seq=r[4], at=r[5] or 0) for r in rows]

    def watch(self) -> Watch:
        return self.database.watch()

    def leave(self) -> None:
        self.database.leave()

    def close(self) -> None:
        self.database.close()

    def write(
        self, op: Op, values: Sequence[Entity | Gone], *, seen: Seen | None = None, outside: Outside | None = None
    ) -> Op:
        stored = self.database.write(
            lambda transaction: change.write(transaction, self.project, op, values, seen, outside)
        )
        if stored.op_id == op.op_id:
            self.database.ring()
        return stored


def _of_kinds(query: EventQuery) -> dict[str, list[object]]:
    """The tests for kinds of things, written as the indexes of what workers did not print have them.

    From such an index each row must be fetched: where its op must be looked at too it is quicker to walk through
    the log itself.
    """
    tests: dict[str, list[object]] = {}
    entity = query.entities[0] if len(query.entities) == 1 else (query.kind or "").partition(".")[0]
    if query.entities:
        tests[f"event.entity IN ({marks(query.entities)})"] = [*query.entities]
    if query.subject is None and query.op_id is None and entity in TABLES and entity != PRINTED:
        return {**tests, "event.entity = ?": [entity], WORK: []}
    if query.without == [PRINTED] and not (query.actor or query.operation or query.subject):
        return {**tests, WORK: []}
    if query.without:
        tests[f"event.entity NOT IN ({marks(query.without)})"] = [*query.without]
    return tests
