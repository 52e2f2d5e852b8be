"""Which blobs the log names: those of every thing, also as it was before; an undo may bring it back."""

from __future__ import annotations

from itertools import groupby

from deedlog.core.entry import patched
from deedlog.core.errors import DeedlogError
from deedlog.core.value import Entity
from deedlog.store.blob import find_blob, unpack
from deedlog.store.database import damaged
from deedlog.store.replay import events
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.store.database import Reader, Transaction
    from deedlog.store.tables import Table


def named(reader: Reader, project: str) -> dict[str, str]:
    """Each digest, sorted, with the URI of a thing that names it."""
    found: dict[str, str] = {}
    for table in TABLES.values():
        if table.entity.blobs is not Entity.blobs:
            for entity in _states(reader, project, table):
                found |= dict.fromkeys(entity.blobs(), entity.uri)
    return dict(sorted(found.items()))


def _states(reader: Reader, project: str, table: Table) -> Iterator[Entity]:
    found = events(reader, project, "entity = ? AND applied = 1", (table.entity.kind,), "entity_id, seq")
    for entity_id, history in groupby(found, key=lambda event: event.entity_id):
        body = None
        for event in history:
            body = patched(body, event.before, event.after)
            if body is not None:
                try:
                    yield table.entity.load(entity_id, event.entity_version, body)
                except TypeError as error:
                    raise damaged(f"event {event.seq} leaves {table.name} {entity_id} unreadable") from error


def blob_problems(reader: Reader, project: str) -> Iterator[str]:
    for digest, uri in named(reader, project).items():
        blob = find_blob(reader, project, digest)
        if blob is None:
            yield f"blob {digest}, which {uri} names, is missing; importing an export that has it brings it back"
            continue
        try:
            unpack(blob)
        except DeedlogError:
            yield f"blob {digest}, which {uri} names, is damaged; importing an export that has it repairs it"


def remove_unnamed(transaction: Transaction, project: str) -> None:
    """Remove what was kept for a thing that was never written."""
    names = named(transaction, project)
    kept = [row[0] for row in transaction.query("SELECT digest FROM blob WHERE project = ?", (project,))]
    left = [(project, digest) for digest in kept if digest not in names]
    if left:
        transaction.execute_many("DELETE FROM blob WHERE project = ? AND digest = ?", left)
