"""What a worker printed, some lines at a time."""

from __future__ import annotations

from deedlog.core.value import Entity, uris
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Output(Entity):
    """Lines `first` to `first + len(lines) - 1` of a session, counted from 1; each has `at`, `stream` and `text`.

    One may have `missed`: how many lines before it were printed and not recorded.
    """

    kind: ClassVar[str] = "output"
    found_by: ClassVar[tuple[str, ...]] = ("session_id", "first")
    sorted_by: ClassVar[str] = "first"
    told_of: ClassVar[str] = "session"
    seen_with: ClassVar[str] = "session_log"

    session_id: str
    task_id: str
    first: int
    lines: list[dict[str, Any]]

    def subjects(self) -> list[str]:
        return [self.uri, *uris(session=self.session_id, task=self.task_id)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        lines = fields.get("lines") or [{"text": ""}]
        return f"printed: {one_line(str(lines[-1]['text']))}"
