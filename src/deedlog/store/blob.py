"""Bytes kept beside the log, under the SHA-256 of what they are."""

from __future__ import annotations

import hashlib
import zlib

from deedlog.core.errors import Invalid
from deedlog.store.database import damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.store.database import Transaction

MOST_BYTES = 64 << 20


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def packed(data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise Invalid(f"{len(data)} bytes are too many to be kept at once: at most {MOST_BYTES}")
    return zlib.compress(data)


def unpacked(digest: str, kept: object) -> bytes:
    """What was kept under `digest`, refused when it is something else by now."""
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(bytes(kept), MOST_BYTES)  # type: ignore[call-overload]
    except (TypeError, zlib.error) as error:
        raise damaged(f"blob {digest} cannot be read") from error
    if not unpacker.eof or digest_of(data) != digest:
        raise damaged(f"blob {digest} is not what was kept")
    return data


def put_blob(transaction: Transaction, project: str, digest: str, kept: bytes) -> None:
    """Keep packed bytes; what is there already stays."""
    sql = "INSERT INTO blob (project, digest, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    transaction.execute(sql, (project, digest, kept))
