"""What agents leave for each other: entries of the blackboard, and marks that fade."""

from __future__ import annotations

import re

from deedlog.core.value import Entity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

PARTED = re.compile("[:/|]")


def namespace_of(key: str) -> str:
    """The part of a key before the first `:`, `/` or `|`."""
    return PARTED.split(key, maxsplit=1)[0]


class Entry(Entity):
    """A value under a key, which is its id; from `expires_at` on it is no longer there (0: it stays)."""

    kind: ClassVar[str] = "entry"
    found_by: ClassVar[tuple[str, ...]] = ("namespace", "created_at")

    namespace: str
    value: Any = None
    tags: list[str] = []  # noqa: RUF012  # values are never changed in place
    created_at: int
    updated_at: int
    expires_at: int = 0

    def subjects(self) -> list[str]:
        return [self.uri, f"blackboard://{self.namespace}"]

    def search_text(self) -> tuple[str, str]:
        return self.id, " ".join(self.tags)


class Mark(Entity):
    """How strongly a node is marked, as of `updated_at`; it fades with time. Its id is `<node>:<type>`."""

    kind: ClassVar[str] = "mark"
    found_by: ClassVar[tuple[str, ...]] = ("node_id", "created_at")

    node_id: str
    type: str
    intensity: float
    created_at: int
    updated_at: int
