"""Bytes kept beside the log, under the SHA-256 of what they are. A stored thing names them in its `blobs`."""

from __future__ import annotations

import binascii
import hashlib
import re
import zlib

from deedlog.core.entry import dumps, patched
from deedlog.core.errors import DeedlogError, Invalid, Overtaken
from deedlog.core.value import Value
from deedlog.store.database import damaged
from deedlog.store.rows import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity
    from deedlog.store.database import Database, Reader, Transaction

MOST_BYTES = 64 << 20
DIGEST = re.compile("[0-9a-f]{64}")


class Blob(Value):
    """What is kept under a digest, packed; None where it was lost."""

    digest: str
    packed: bytes | None


def pack(data: bytes) -> Blob:
    if len(data) > MOST_BYTES:
        raise Invalid(f"{len(data)} bytes are too many to be kept as one: at most {MOST_BYTES} are allowed")
    return Blob(digest=hashlib.sha256(data).hexdigest(), packed=zlib.compress(data))


def unpack(blob: Blob) -> bytes:
    """What was kept, refused when it is something else by now."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(blob.packed or b"", MOST_BYTES + 1)
    except zlib.error as error:
        raise damaged(f"blob {blob.digest} cannot be read") from error
    if not unpacker.eof or unpacker.unused_data or hashlib.sha256(data).hexdigest() != blob.digest:
        raise damaged(f"blob {blob.digest} is not what was kept")
    return data


def find_blob(reader: Reader | Database, project: str, digest: str) -> Blob | None:
    rows = reader.query("SELECT data FROM blob WHERE project = ? AND digest = ?", (project, digest))
    if not rows:
        return None
    return Blob(digest=digest, packed=rows[0][0] if isinstance(rows[0][0], bytes) else None)


def put_blob(transaction: Transaction, project: str, blob: Blob) -> None:
    """Keep it; what was damaged is repaired by that."""
    sql = (
        "INSERT INTO blob (project, digest, data) VALUES (?, ?, ?) ON CONFLICT (project, digest) "
        "DO UPDATE SET data = excluded.data WHERE blob.data <> excluded.data"
    )
    transaction.execute(sql, (project, blob.digest, blob.packed))


def refuse_lost(transaction: Transaction, project: str, entity: Entity, event: Event) -> None:
    """What the caller kept for a thing may have been removed before the thing named it."""
    names = entity.blobs()
    sql = f"SELECT digest FROM blob WHERE project = ? AND digest IN ({marks(names)})"  # noqa: S608
    lost = set(names) - {row[0] for row in transaction.query(sql, (project, *names))}
    if lost and (before := patched(entity.body(), event.after, event.before)):
        lost -= set(entity.load(entity.id, entity.version, before).blobs())
    if lost:
        message = f"what was kept for {entity.kind} {entity.id!r} was cleared away meanwhile"
        raise Overtaken(message, hint="repeat the call")


def blob_line(blob: Blob) -> str:
    """A blob in an export."""
    try:
        unpack(blob)
    except DeedlogError:
        return dumps({"blob": blob.digest, "data": None})
    return dumps({"blob": blob.digest, "data": binascii.b2a_base64(blob.packed or b"", newline=False).decode()})


def read_blob(found: dict[str, Any]) -> Blob:
    """The blob of a line, or `ValueError` saying what is wrong; see `check_blob`."""
    digest, data = found["blob"], found["data"]
    if not DIGEST.fullmatch(digest):
        raise ValueError("blob is no digest")
    return Blob(digest=digest, packed=None if data is None else binascii.a2b_base64(data, strict_mode=True))


def check_blob(blob: Blob) -> None:
    """`ValueError` when a blob is not what its digest says."""
    if blob.packed is not None:
        try:
            unpack(blob)
        except DeedlogError as error:
            raise ValueError(f"blob {blob.digest} is not what its digest says") from error
