"""The statements of which every change consists."""

from __future__ import annotations

from deedlog.core.entry import GENESIS, Event, Op, difference, dumps, link
from deedlog.core.errors import Overtaken
from deedlog.ports import Gone
from deedlog.store.number import refuse_taken, with_free_number
from deedlog.store.rows import EVENT, OP, SEARCH, entity_row, event_row, loads, marks, op_of, op_row, search_row
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Outside, Seen
    from deedlog.store.database import Transaction
    from deedlog.store.tables import Table

CONFLICT_HINT = "somebody else was faster: read it again, then repeat the call"


def write(
    transaction: Transaction,
    project: str,
    op: Op,
    values: Sequence[Entity | Gone],
    seen: Seen | None = None,
    outside: Outside | None = None,
) -> Op:
    """Write `values`, their events and `op`; returns the op as stored."""
    if not put_op(transaction, project, op):
        return stored_op(transaction, project, op)
    ordered = [_coming_back(transaction, project, op, value) for value in _in_order(values)]
    events = [_change(transaction, project, op, value) for value in ordered]
    if outside or not events:
        events.append(_called(op, outside))
    seq = append(transaction, project, op, events)
    if seen:
        _refuse_unseen(transaction, project, seen, seq)
    for place, (value, event) in enumerate(zip(ordered, events, strict=False), seq):
        put_search(transaction, project, value, place)
        _refuse_taken_away(transaction, project, op, value, event)
    return op


def _coming_back(transaction: Transaction, project: str, op: Op, value: Entity | Gone) -> Entity | Gone:
    if op.undo_of is None or isinstance(value, Gone) or value.version or not value.numbered:
        return value
    return with_free_number(transaction, project, value)


def _refuse_taken_away(transaction: Transaction, project: str, op: Op, value: Entity | Gone, event: Event) -> None:
    """What an import or a repair can have taken since the caller got it; called with the head taken, too."""
    if isinstance(value, Gone):
        return
    if value.numbered and value.version == 0:
        refuse_taken(transaction, project, value)
    if value.blobs() and op.undo_of is None:
        from deedlog.store.blob import refuse_lost  # few things name any

        refuse_lost(transaction, project, value, event)


def _refuse_unseen(transaction: Transaction, project: str, seen: Seen, seq: int) -> None:
    """Called with the head taken: nobody else can add anything until this transaction is over."""
    sql = "SELECT 1 FROM subject WHERE project = ? AND uri = ? AND seq > ? AND seq < ? LIMIT 1"
    for subject in (seen.subject, *seen.more):
        if transaction.query(sql, (project, subject, seen.seq, seq)):
            raise Overtaken(f"something about {subject} was recorded since it was read", hint=CONFLICT_HINT)


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


def stored_op(transaction: Transaction, project: str, op: Op) -> Op:
    """The op that keeps `op` out: itself, written a moment ago, or an earlier one with its key."""
    sql = f"SELECT {OP} FROM op WHERE project = ? AND (op_id = ? OR idempotency_key = ?)"  # noqa: S608
    return op_of(transaction.query(sql, (project, op.op_id, op.idempotency_key))[0])


def append(transaction: Transaction, project: str, op: Op, events: list[Event]) -> int:
    """Give events their place in the log; returns the first one's.

    The head row is taken late: it is where writers meet.
    """
    seq, previous = _take_head(transaction, project, len(events))
    rows, subjects = [], []
    head = op_row(op)
    for place, event in enumerate(events, seq):
        row = event_row(event.replace(seq=place))
        previous = link(previous, head, row)
        rows.append((project, *row, previous))
        subjects += [(project, uri, place) for uri in dict.fromkeys(event.subjects)]
    sql = f"INSERT INTO event (project, {EVENT}, hash) VALUES ({marks(rows[0])})"  # noqa: S608
    transaction.execute_many(sql, rows)
    if subjects:
        transaction.execute_many("INSERT INTO subject (project, uri, seq) VALUES (?, ?, ?)", subjects)
    transaction.execute("UPDATE head SET hash = ? WHERE project = ?", (previous, project))
    return seq


def lock_head(transaction: Transaction, project: str) -> None:
    """Let nobody else commit until this transaction is over."""
    _take_head(transaction, project, 0)


def _take_head(transaction: Transaction, project: str, count: int) -> tuple[int, str]:
    """The first of `count` new places in the log, and the hash of the one before it."""
    sql = (
        "INSERT INTO head (project, seq, hash) VALUES (?, ?, ?) "
        "ON CONFLICT (project) DO UPDATE SET seq = head.seq + excluded.seq RETURNING seq, hash"
    )
    seq, previous = transaction.query(sql, (project, count, GENESIS))[0]
    return seq - count + 1, previous


def _called(op: Op, outside: Outside | None) -> Event:
    """The event of a call that changed the world but none of our tables."""
    return Event(
        seq=0,
        op_id=op.op_id,
        kind=f"{op.operation}.called",
        entity="",
        entity_id="",
        entity_version=0,
        subjects=outside.subjects if outside else [],
        before=outside.before if outside else None,
        after=outside.after if outside else None,
    )


def _change(transaction: Transaction, project: str, op: Op, value: Entity | Gone) -> Event:
    """Write one value; return the event that says what changed."""
    entity = value.entity if isinstance(value, Gone) else value
    old = stored_body(transaction, project, TABLES[entity.kind], entity.id)[1] if entity.version else None
    new = None if isinstance(value, Gone) else _body(entity, old)
    if not put_body(transaction, project, entity, new):
        message = f"{entity.kind} {entity.id!r} changed since it was read"
        raise Overtaken(message, hint=CONFLICT_HINT, data={f"{entity.kind}_id": entity.id})
    before, after = difference(old, new)
    verb = "created" if old is None else "deleted" if new is None else "changed"
    return Event(
        seq=0,
        op_id=op.op_id,
        kind=f"{entity.kind}.{verb}",
        entity=entity.kind,
        entity_id=entity.id,
        entity_version=entity.version + 1,
        subjects=[*entity.subjects(), *entity.reshapes({*(before or {}), *(after or {})})],
        before=before,
        after=after,
    )


def _body(entity: Entity, old: dict[str, Any] | None) -> dict[str, Any]:
    """The new body; what a newer release keeps in it and this one does not know stays."""
    known = entity.fields()
    return {**{name: value for name, value in (old or {}).items() if name not in known}, **entity.body()}


def stored_body(
    transaction: Transaction, project: str, table: Table, entity_id: str
) -> tuple[int, dict[str, Any] | None]:
    sql = f"SELECT version, body FROM {table.name} WHERE project = ? AND id = ?"  # noqa: S608
    for version, body in transaction.query(sql, (project, entity_id)):
        return version, loads(body, f"{table.name} {entity_id}")
    return 0, None


def put_body(transaction: Transaction, project: str, entity: Entity, body: dict[str, Any] | None) -> bool:
    """Insert, update or delete one row; False when its version, or its number, was not the entity's."""
    table = TABLES[entity.kind]
    read = {"project": project, "id": entity.id, "version": entity.version}
    if entity.numbered:
        read["number"] = entity.fields()["number"]
    as_read = " AND ".join(f"{name} = ?" for name in read)
    if body is None:
        return transaction.execute(f"DELETE FROM {table.name} WHERE {as_read}", (*read.values(),)) == 1  # noqa: S608
    row = entity_row(table, entity.id, entity.version + 1, body)
    if entity.version == 0:
        sql = (
            f"INSERT INTO {table.name} (project, {table.row}) VALUES (?, {marks(row)}) "  # noqa: S608
            "ON CONFLICT DO NOTHING"
        )
        return transaction.execute(sql, (project, *row)) == 1
    settings = ", ".join(f"{name} = ?" for name in table.row.split(", "))
    sql = f"UPDATE {table.name} SET {settings} WHERE {as_read}"  # noqa: S608
    return transaction.execute(sql, (*row, *read.values())) == 1


def put_number(transaction: Transaction, project: str, table: Table, entity_id: str, body: dict[str, Any]) -> None:
    """Give a stored thing the number in `body`; its version stays."""
    sql = f"UPDATE {table.name} SET number = ?, body = ? WHERE project = ? AND id = ?"  # noqa: S608
    transaction.execute(sql, (body["number"], dumps(body), project, entity_id))


def put_search(transaction: Transaction, project: str, value: Entity | Gone, seq: int) -> None:
    """Let a thing be found as event `seq` left it."""
    entity = value.entity if isinstance(value, Gone) else value
    row = None if isinstance(value, Gone) else search_row(entity, seq)
    if row is None:
        transaction.execute("DELETE FROM search WHERE project = ? AND uri = ?", (project, entity.uri))
        return
    sql = (
        f"INSERT INTO search (project, {SEARCH}) VALUES (?, {marks(row)}) "  # noqa: S608
        "ON CONFLICT (project, uri) DO UPDATE SET title = excluded.title, text = excluded.text, "
        "folded = excluded.folded, seq = excluded.seq"
    )
    transaction.execute(sql, (project, *row))
