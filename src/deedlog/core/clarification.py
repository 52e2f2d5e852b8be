"""A conversation that makes a request clear, and the record that an ADR was written here."""

from __future__ import annotations

from deedlog.core.memory import BANK
from deedlog.core.value import Entity, uris
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

OPEN, COMPLETED, RESET = "open", "completed", "reset"
ARCHITECTURE = "project://architecture"


class Clarification(Entity):
    """A session of questions about one request. It lives on as long as somebody uses it."""

    kind: ClassVar[str] = "clarification"
    found_by: ClassVar[tuple[str, ...]] = ("status", "tree", "created_at")
    begins: ClassVar[str] = "begun"

    intention: str
    context: str = ""
    tree: str = ""  # the work tree whose files it is about
    actor: str = ""
    status: str = OPEN
    created_at: int
    used_at: int
    force_adr: bool = False
    waive_adr: bool = False
    questions: list[dict[str, Any]] = []  # noqa: RUF012  # all that were asked, as they were shown
    answers: dict[str, Any] = {}  # noqa: RUF012  # as they were validated
    skipped: list[str] = []  # noqa: RUF012
    proposal: dict[str, Any] = {}  # noqa: RUF012
    provider: str = ""  # of the language model that was asked
    given: str = ""  # digest of the answers of the final call: the same call again gets the same result
    result: dict[str, Any] = {}  # noqa: RUF012  # what the final call answered
    adr: str = ""

    def subjects(self) -> list[str]:
        return [self.uri]

    def search_text(self) -> tuple[str, str]:
        return self.intention, self.context

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"clarification of {one_line(fields.get('intention', ''), SHORT)}"


class WrittenAdr(Entity):
    """That an ADR was written through this store; its file is the truth. The id is its UID."""

    kind: ClassVar[str] = "adr"
    found_by: ClassVar[tuple[str, ...]] = ("created_at",)
    begins: ClassVar[str] = "written"

    title: str
    path: str
    area: str = ""
    changes: list[dict[str, str]] = []  # noqa: RUF012
    decision: str = ""
    clarification_id: str = ""
    decision_id: str = ""  # the logged decision it was promoted from
    digest: str = ""  # of the file as it was written
    created_at: int

    def subjects(self) -> list[str]:
        return [self.uri, ARCHITECTURE, BANK, *uris(clarification=self.clarification_id, decision=self.decision_id)]

    def search_text(self) -> tuple[str, str]:
        return self.title, f"{self.id} {self.area} {self.decision}"

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"ADR {one_line(fields.get('title', ''), SHORT)}"
