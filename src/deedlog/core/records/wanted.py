"""What shall be recorded, and the files that record it."""

from __future__ import annotations

from deedlog.core.records.digest import digest_of
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.clarify.values import Decided, Reason
    from deedlog.core.records.values import Adr, CurrentTask, RecordFile


class Wanted(Value):
    """A request that is clear. Without `task` only the ADR and the architecture are written.

    `waived` means that an ADR was due and not wanted: what is decided holds for the task alone.
    `area` is what the ADR is filed under; by default that of its first decision.
    """

    title: str
    adr_title: str = ""  # by default the title
    intention: str
    context: str = ""
    adr: bool = False
    task: bool = True
    waived: bool = False
    language: str = "en"
    area: str = ""
    decided: list[Decided] = []  # noqa: RUF012  # values are never changed in place
    removed: list[Decided] = []  # noqa: RUF012  # fields that lose a technology, with what is left of their value
    before: list[Decided] = []  # noqa: RUF012  # what earlier ADRs decided and this keeps to
    assumptions: list[Decided] = []  # noqa: RUF012
    still_open: list[Decided] = []  # noqa: RUF012
    rejected: list[str] = []  # noqa: RUF012
    decision: str = ""  # in words; by default what is decided, a line each
    rationale: str = ""
    alternatives: list[str] = []  # noqa: RUF012
    consequences: list[str] = []  # noqa: RUF012
    allowlist: list[str] = []  # noqa: RUF012
    forbidden: list[str] = []  # noqa: RUF012
    criteria: list[str] = []  # noqa: RUF012
    reasons: list[Reason] = []  # noqa: RUF012


class Planned(Value):
    """The files in the order they are written, and what callers are told of them.

    `artifacts` have path, type (adr, task, projection, archive) and, but for the projection, uid.
    """

    files: list[RecordFile]
    artifacts: list[dict[str, str]]
    summary: str
    adr: Adr | None = None
    task: CurrentTask | None = None

    def written(self) -> dict[str, Any]:
        """The fields of a `WrittenAdr`, but for its id (the UID), its moment and what it came from."""
        assert self.adr is not None
        text = next(file.text for file in self.files if file.path == self.adr.path)
        changes = [{"area": c.area, "field": c.field, "value": c.value, "was": c.was} for c in self.adr.changes]
        return {
            "title": self.adr.title,
            "path": self.adr.path,
            "area": self.adr.area,
            "changes": changes,
            "decision": self.adr.decision,
            "digest": digest_of(text),
        }
