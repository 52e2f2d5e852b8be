"""Graphs as they are stored: free-standing ones, who holds which graph alone, and changes that are being made."""

from __future__ import annotations

from deedlog.core.value import Entity, uris

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

PENDING, COMMITTED, ROLLED_BACK = "pending", "committed", "rolled_back"


class Graph(Entity):
    """A graph of its own; the graph of a workflow is made of its tasks instead, see `work/graphs.py`.

    `nodes` have `id`, `label` and `attributes`; `edges` have `from`, `to`, `label`, `weight` and `attributes`. An edge
    leads to what its node waits for.
    """

    kind: ClassVar[str] = "graph"
    found_by: ClassVar[tuple[str, ...]] = ("created_at",)

    name: str = ""
    nodes: list[dict[str, Any]] = []  # noqa: RUF012  # values are never changed in place
    edges: list[dict[str, Any]] = []  # noqa: RUF012
    metadata: dict[str, Any] = {}  # noqa: RUF012
    created_at: int

    def search_text(self) -> tuple[str, str]:
        said = [self.id, *(f"{node['id']} {node.get('label', '')}" for node in self.nodes)]
        return self.name or self.id, " ".join(said)

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"graph {fields.get('name', '')}".rstrip()


class Lock(Entity):
    """Who alone may change a graph. It has the id of the graph: there can be only one. `expires_at` may be 0."""

    kind: ClassVar[str] = "lock"
    found_by: ClassVar[tuple[str, ...]] = ("lock_id", "created_at")
    seen_with: ClassVar[str] = "event_list"

    lock_id: str
    holder: str
    created_at: int
    refreshed_at: int
    expires_at: int = 0

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"lock of {fields.get('holder', '')}"


class Tx(Entity):
    """A change of a graph that is being made apart from it: `graph` becomes the next version, or nothing does.

    `base_graph` is the graph as it was at `base_version`, which is 0 where there was none. `origins` are what its nodes
    that are left are called now, and were called then.
    """

    kind: ClassVar[str] = "tx"
    found_by: ClassVar[tuple[str, ...]] = ("graph_id", "state", "created_at")
    begins: ClassVar[str] = "begun"
    seen_with: ClassVar[str] = "resources_list"

    graph_id: str
    base_version: int
    base_graph: dict[str, Any]
    graph: dict[str, Any]
    applied: int = 0
    owner: str = ""
    note: str = ""
    state: str = PENDING
    created_at: int
    expires_at: int = 0
    ended_at: int | None = None
    final_version: int | None = None
    origins: dict[str, str] = {}  # noqa: RUF012
    expired: bool = False  # it was rolled back because nobody ended it in time

    def subjects(self) -> list[str]:
        return [self.uri, f"transactions://{self.graph_id}", *uris(workflow=self.graph_id)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"transaction on {fields.get('graph_id', 'a graph')}"
