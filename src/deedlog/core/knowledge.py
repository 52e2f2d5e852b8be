"""What is known as facts, and what is valued."""

from __future__ import annotations

from deedlog.core.value import Entity
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Triple(Entity):
    """A fact: subject, predicate, object. Its id is a fingerprint of the three."""

    kind: ClassVar[str] = "triple"
    found_by: ClassVar[tuple[str, ...]] = ("subject", "predicate", "created_at")
    seen_with: ClassVar[str] = "kg_query"
    begins: ClassVar[str] = "told"

    subject: str
    predicate: str
    object: str
    source: str = ""
    confidence: float = 1.0
    created_at: int
    updated_at: int = 0

    def search_text(self) -> tuple[str, str]:
        return f"{self.subject} {self.predicate} {self.object}", self.source

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        said = " ".join(str(fields.get(name, "")) for name in ("subject", "predicate", "object"))
        return f"fact {one_line(said)}".rstrip()


class ValueSet(Entity):
    """What the project values, and how its values support or oppose each other. There is one, `values`."""

    kind: ClassVar[str] = "valueset"
    found_by: ClassVar[tuple[str, ...]] = ("created_at",)
    seen_with: ClassVar[str] = "values_explain"
    begins: ClassVar[str] = "set"

    values: list[dict[str, Any]] = []  # noqa: RUF012  # values are never changed in place
    relationships: list[dict[str, Any]] = []  # noqa: RUF012
    default_threshold: float = 0.6
    created_at: int
    updated_at: int = 0

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:  # noqa: ARG003  # there is only one
        return "the project's values"
