"""How work is spread: messages to running workers, calls for bids, and how many workers there shall be."""

from __future__ import annotations

from deedlog.core.value import Entity, uris

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Message(Entity):
    """What was said to a running worker, on its standard input; `delivered_at` once it was written there.

    Those of one session are in the order of `created_at`, which no two of them share: `place` counts them from 1,
    `size` is how many bytes were said up to and with this one. After one that `closes` nothing more is said.
    """

    kind: ClassVar[str] = "message"
    found_by: ClassVar[tuple[str, ...]] = ("session_id", "created_at")
    seen_with: ClassVar[str] = "child_status"
    told_of: ClassVar[str] = "session"

    session_id: str
    task_id: str = ""
    text: str
    actor: str = ""
    created_at: int
    delivered_at: int | None = None
    place: int = 1
    size: int = 0
    closes: bool = False

    def subjects(self) -> list[str]:
        return [self.uri, *uris(session=self.session_id, task=self.task_id)]

    def reshapes(self, changed: set[str]) -> list[str]:
        """Two that say something at once must see each other; that one was delivered is in nobody's way."""
        return uris(inbox=self.session_id) if "text" in changed else []


class Tender(Entity):
    """A task announced to agents, their bids, and who was awarded it."""

    kind: ClassVar[str] = "tender"
    found_by: ClassVar[tuple[str, ...]] = ("task_id", "status", "created_at")
    seen_with: ClassVar[str] = "cnp_get"
    begins: ClassVar[str] = "announced"
    told_of: ClassVar[str] = "task"

    task_id: str
    status: str = "open"
    bids: list[dict[str, Any]] = []  # noqa: RUF012  # values are never changed in place
    awarded: dict[str, Any] = {}  # noqa: RUF012
    auto_bid: bool = True
    heuristics: dict[str, Any] = {}  # noqa: RUF012
    created_at: int

    def subjects(self) -> list[str]:
        return [self.uri, *uris(task=self.task_id)]


class Autoscale(Entity):
    """Between how many workers a run may choose, and when it does. There is one, `autoscale`."""

    kind: ClassVar[str] = "autoscale"
    found_by: ClassVar[tuple[str, ...]] = ("created_at",)
    seen_with: ClassVar[str] = "agent_autoscale_set"

    least: int = 0
    most: int = 0
    thresholds: dict[str, float] = {}  # noqa: RUF012  # values are never changed in place
    cooldown_ms: int = 10_000
    created_at: int
    updated_at: int = 0
