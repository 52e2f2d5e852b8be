"""What agents leave for each other: entries of the blackboard, and marks that fade."""

from __future__ import annotations

import re

from deedlog.core.moment import millis
from deedlog.core.value import Entity
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

PARTED = re.compile("[:/|]")
KEY = r"^[^:/|\x00-\x1f\x7f-\x9f\u2028\u2029][^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"  # has a namespace, in one line
NEVER = 10**17  # after every moment there is
ALL_ENTRIES = "entries://all"  # what every event of the blackboard is about


def namespace_of(key: str) -> str:
    """The part of a key before the first `:`, `/` or `|`."""
    return PARTED.split(key, maxsplit=1)[0]


def is_key(text: str) -> bool:
    return re.fullmatch(KEY, text) is not None


def namespace_uri(namespace: str) -> str:
    return f"blackboard://{namespace}"


class Entry(Entity):
    """A value under a key, which is its id; from `expires_at` on it is no longer there, though perhaps still stored.

    What it holds is one field, so that every event of it tells all of it. Sorted by when they expire: those that
    have, and those that will be next, are found without looking at the others.
    """

    kind: ClassVar[str] = "entry"
    found_by: ClassVar[tuple[str, ...]] = ("namespace", "expires_at")
    sorted_by: ClassVar[str] = "expires_at"
    seen_with: ClassVar[str] = "bb_query"
    begins: ClassVar[str] = "set"

    namespace: str
    expires_at: int = NEVER
    held: dict[str, Any] = {}  # noqa: RUF012  # value, tags, created_at, updated_at, expires_at; never changed in place

    @property
    def value(self) -> Any:
        return self.held.get("value")

    @property
    def tags(self) -> list[str]:
        return self.held.get("tags", [])  # type: ignore[no-any-return]

    @property
    def created_at(self) -> int:
        return self.held.get("created_at", 0)  # type: ignore[no-any-return]

    @property
    def updated_at(self) -> int:
        return self.held.get("updated_at", 0)  # type: ignore[no-any-return]

    def subjects(self) -> list[str]:
        return [self.uri, namespace_uri(self.namespace), ALL_ENTRIES]

    def search_text(self) -> tuple[str, str]:
        return self.id, " ".join(self.tags)

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"entry {one_line(str(fields.get('id', '')), SHORT)}".rstrip()

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:  # noqa: ARG003  # it is always set as a whole
        return f"{cls.headline(fields)} set"


def snapshot(key: str, held: dict[str, Any], version: int) -> dict[str, Any]:
    """An entry as it is told; `version` counts its changes."""
    expires_at = held.get("expires_at", NEVER)
    return {
        "key": key,
        "value": held.get("value"),
        "tags": held.get("tags", []),
        "createdAt": millis(held.get("created_at", 0)),
        "updatedAt": millis(held.get("updated_at", 0)),
        "expiresAt": None if expires_at == NEVER else millis(expires_at),
        "version": version,
    }


def shown(entry: Entry) -> dict[str, Any]:
    return snapshot(entry.id, entry.held, entry.version)


class Mark(Entity):
    """How strongly a node is marked, as of `updated_at`; it fades with time. Its id is `<node>:<type>`."""

    kind: ClassVar[str] = "mark"
    found_by: ClassVar[tuple[str, ...]] = ("node_id", "created_at")
    seen_with: ClassVar[str] = "stig_snapshot"

    node_id: str
    type: str
    intensity: float
    half_life_ms: int = 30_000
    created_at: int
    updated_at: int

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"mark on {one_line(str(fields.get('node_id', '')), SHORT)}".rstrip()
