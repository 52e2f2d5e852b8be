"""Things by their URIs, each asked for once: rows of many events are about the same few."""

from __future__ import annotations

from deedlog.core.kinds import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.value import Entity
    from deedlog.ports import Ledger


def finder(ledger: Ledger) -> Callable[[str], Entity | None]:
    """A function that finds what a URI names, if it is there; what it found it keeps."""
    known: dict[str, Entity | None] = {}

    def found(uri: str) -> Entity | None:
        if uri not in known:
            kind, _, name = uri.partition("://")
            known[uri] = ledger.find_one(KINDS[kind], name) if kind in KINDS and name else None
        return known[uri]

    return found
