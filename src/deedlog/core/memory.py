"""The memory bank: what a project has decided and every worker should know."""

from __future__ import annotations

from deedlog.core.value import Entity
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

DRAFT, ACTIVE, ARCHIVED = "draft", "active", "archived"
BANK = "project://memory"
CATEGORIES = ("rule", "convention", "architecture", "tooling")


class Memory(Entity):
    """One entry; its id is a slug. Only active ones are told to workers."""

    kind: ClassVar[str] = "memory"
    found_by: ClassVar[tuple[str, ...]] = ("category", "status", "created_at")
    begins: ClassVar[str] = "added"

    category: str
    title: str
    summary: str = ""
    content: str = ""
    status: str = DRAFT
    created_at: int
    updated_at: int = 0
    origin: str = ""
    author: str = ""  # who added it; an earlier release did not say

    def subjects(self) -> list[str]:
        return [self.uri, BANK]

    def search_text(self) -> tuple[str, str]:
        return self.title, f"{self.id} {self.category} {self.summary} {self.content}"

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"memory {one_line(fields.get('title', ''), SHORT)}"
