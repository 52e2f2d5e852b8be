"""A whole log as lines of JSON: a header, the blobs the log names, then an op a line, in the order of the log.

A line says by its first key what it is: `deedlog` the header, `blob` what is kept beside the log (packed by
zlib, in base64; null where it was lost), `op` an op with its events. The header counts both; older exports
have no blobs.
"""

from __future__ import annotations

import json
from itertools import groupby

from deedlog.core.data import flaw
from deedlog.core.entry import GENESIS, Event, Op, dumps
from deedlog.core.errors import Invalid
from deedlog.core.value import Value
from deedlog.operation.define import Effect
from deedlog.store.blob import Blob, blob_line, find_blob, read_blob
from deedlog.store.named import named
from deedlog.store.number import MOST, called
from deedlog.store.rows import EVENT, OP, event_of, of_table, op_of
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.store.database import Database

    Fields = dict[str, tuple[type, ...]]

FORMAT = 1
DEEPEST = 100
TEXT, NUMBER, OBJECT, ABSENT = (str,), (int,), (dict,), (type(None),)
HEADER: Fields = {"deedlog": TEXT, "format": NUMBER, "project": TEXT, "ops": NUMBER, "head": NUMBER, "hash": TEXT}
BLOB_FIELDS: Fields = {"blob": TEXT, "data": TEXT + ABSENT}
ANYTHING = (str, int, float, bool, dict, list, type(None))
OP_FIELDS: Fields = {
    "op_id": TEXT,
    "operation": TEXT,
    "effect": TEXT,
    "actor": TEXT,
    "at": NUMBER,
    "cause": TEXT,
    "idempotency_key": TEXT + ABSENT,
    "arguments_digest": TEXT,
    "undo_of": TEXT + ABSENT,
    "answer": ANYTHING,
}
EVENT_FIELDS: Fields = {
    "seq": NUMBER,
    "kind": TEXT,
    "entity": TEXT,
    "entity_id": TEXT,
    "entity_version": NUMBER,
    "subjects": (list,),
    "before": OBJECT + ABSENT,
    "after": OBJECT + ABSENT,
    "applied": (bool,),
}


class Header(Value):
    ops: int
    head: int
    hash: str
    blobs: int = 0


def export(database: Database) -> Iterator[str]:
    """The lines, all from one moment."""
    with database.snapshot() as moment:
        project = database.project
        seq, last = (moment.query("SELECT seq, hash FROM head WHERE project = ?", (project,)) or [(0, GENESIS)])[0]
        ops = moment.query("SELECT count(*) FROM op WHERE project = ?", (project,))[0][0]
        header = {"deedlog": "export", "format": FORMAT, "project": project, "ops": ops, "head": seq, "hash": last}
        digests = named(moment, project)
        yield dumps({**header, "blobs": len(digests)} if digests else header)
        for digest in digests:
            yield blob_line(find_blob(moment, project, digest) or Blob(digest=digest, packed=None))
        sql = (
            f"SELECT {of_table('op', OP)}, {of_table('event', EVENT)} FROM event "  # noqa: S608
            "JOIN op ON op.project = event.project AND op.op_id = event.op_id "
            "WHERE event.project = ? ORDER BY event.seq"
        )
        width = len(OP.split(", "))
        for op, rows in groupby(moment.stream(sql, (project,)), key=lambda row: row[:width]):
            yield line_of(op_of(op), [event_of(row[width:]) for row in rows])


def line_of(op: Op, events: list[Event]) -> str:
    told = [{name: value for name, value in event.fields().items() if name in EVENT_FIELDS} for event in events]
    return dumps({"op": op.fields(), "events": told})


def header_of(line: str) -> Header:
    try:
        found = _parsed(line)
        _check(found, {**HEADER, "blobs": NUMBER} if "blobs" in found else HEADER)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid("line 1: this is not an export", hint="name a file that `deedlog export` wrote") from error
    if found["deedlog"] != "export" or found["format"] != FORMAT:
        raise Invalid("line 1: this program cannot read this kind of export", hint="a newer deedlog may have made it")
    return Header(ops=found["ops"], head=found["head"], hash=found["hash"], blobs=found.get("blobs", 0))


def read_line(line: str) -> Blob | tuple[Op, list[Event]]:
    """The blob of a line, or its op with the events, or `ValueError` saying what is wrong."""
    found = _parsed(line)
    if type(found) is dict and "blob" in found:
        _check(found, BLOB_FIELDS)
        return read_blob(found)
    _check(found, {"op": OBJECT, "events": (list,)})
    op, events = found["op"], found["events"]
    _check(op, OP_FIELDS)
    if op["effect"] not in (Effect.WRITE, Effect.DESTROY):
        raise ValueError(f"there is no effect {op['effect']!r:.80}")
    if not events:
        raise ValueError("the op has no events")
    for event in events:
        _check(event, EVENT_FIELDS)
        _check_event(event)
    return Op(**op), [Event(**event, op_id=op["op_id"]) for event in events]


def _parsed(line: str) -> Any:
    found = json.loads(line, parse_constant=_refuse)
    if wrong := flaw(found, DEEPEST):
        raise ValueError(f"something in it {wrong}")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _check(found: Any, fields: Fields) -> None:
    if type(found) is not dict or found.keys() != fields.keys():
        raise ValueError(f"expected an object with {', '.join(fields)}")
    for name, types in fields.items():
        if type(found[name]) not in types:
            raise ValueError(f"{name} has the wrong type")


def _check_event(event: dict[str, Any]) -> None:
    if not all(type(uri) is str for uri in event["subjects"]):
        raise ValueError("subjects must be texts")
    silent = event["before"] is None and event["after"] is None
    if event["entity"] not in (("",) if silent else TABLES):
        raise ValueError(f"nothing can be known of {event['entity']!r:.80}")
    if event["entity"] and event["entity_version"] < 1:
        raise ValueError("entity_version must be at least 1")
    if event["entity"] and TABLES[event["entity"]].entity.numbered:
        _check_number(event)


def _check_number(event: dict[str, Any]) -> None:
    if called(TABLES[event["entity"]].entity, event["entity_id"]) is not None:
        raise ValueError(f"{event['entity_id']!r} is no id but a number")
    for fields in (event["before"] or {}, event["after"] or {}):
        number = fields.get("number", 1)
        if type(number) is not int or not 1 <= number <= MOST:
            raise ValueError("number has the wrong type or size")
