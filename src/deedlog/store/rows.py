"""The ledger's records as rows, and rows as records."""

from __future__ import annotations

import json

from deedlog.core.entry import Event, Op, dumps
from deedlog.core.words import fold
from deedlog.store.database import damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Stored
    from deedlog.store.database import Row
    from deedlog.store.tables import Table

OP = "op_id, operation, effect, actor, at, cause, idempotency_key, arguments_digest, undo_of, answer"
EVENT = "seq, op_id, kind, entity, entity_id, entity_version, subjects, before_fields, after_fields, applied"
SEARCH = "uri, kind, title, text, folded, seq"


def marks(row: Sequence[object]) -> str:
    return ", ".join("?" * len(row))


def containing(text: str) -> str:
    """The pattern of texts that have this one somewhere, to be escaped by `!`."""
    return "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"


def of_table(table: str, columns: str) -> str:
    return ", ".join(f"{table}.{name}" for name in columns.split(", "))


def loads(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise damaged(f"{what} cannot be read") from error


def _sound(row: Row, what: str) -> Row:
    """The row; a damaged file can hold bytes where a text was."""
    if bytes in map(type, row):
        raise damaged(f"{what} cannot be read")
    return row


def op_of(row: Row) -> Op:
    fields = dict(zip(OP.split(", "), _sound(row, f"op {row[0]}"), strict=True))
    return Op(**{**fields, "answer": loads(row[-1], f"op {row[0]}")})


def op_row(op: Op) -> Row:
    fields = op.fields()
    return tuple(dumps(fields[name]) if name == "answer" else fields[name] for name in OP.split(", "))


def event_of(row: Row) -> Event:
    what = f"event {row[0]}"
    seq, op_id, kind, entity, entity_id, version, subjects, before, after, applied, *more = _sound(row, what)
    operation, actor, at, cause = more or ("", "", 0, "")
    return Event(
        seq=seq,
        op_id=op_id,
        kind=kind,
        entity=entity,
        entity_id=entity_id,
        entity_version=version,
        subjects=loads(subjects, what),
        before=before and loads(before, what),
        after=after and loads(after, what),
        applied=bool(applied),
        operation=operation,
        actor=actor,
        at=at,
        cause=cause,
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


def entity_of(entity: type[Stored], row: Row) -> Stored:
    """The thing kept as (id, version, body)."""
    what = f"{entity.kind} {row[0]}"
    try:
        return entity.load(row[0], row[1], loads(_sound(row, what)[2], what))
    except (AttributeError, TypeError) as error:
        raise damaged(f"{what} cannot be read") from error


def entity_row(table: Table, entity_id: str, version: int, body: dict[str, Any]) -> Row:
    fields = {**table.entity.defaults(), **body, "id": entity_id}
    return (entity_id, version, *(fields[name] for name in table.lifted), dumps(body))


def search_row(entity: Entity, seq: int) -> Row | None:
    """What a search can find of a thing as event `seq` left it."""
    title, text = entity.search_text()
    return (entity.uri, entity.kind, title, text, fold(f"{title} {text}"), seq) if title else None
