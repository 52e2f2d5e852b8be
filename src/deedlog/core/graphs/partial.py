"""Graphs that are too large for one answer: some of their nodes, with the edges that lead from these.

Such a part says that it is one, so that nobody takes it for the whole graph and stores it.
"""

from __future__ import annotations

from deedlog.core.graphs.shape import PARTIAL, in_order
from deedlog.core.page import MOST_CHARACTERS, fitting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

LONGEST = 4_000  # characters of an attribute in a part


def part(graph: Json, after: str = "", room: int = MOST_CHARACTERS) -> tuple[Json, str]:
    """As much of a graph as fits, from the node that comes after one on, and its last node's name if more follow."""
    leading: dict[str, list[Json]] = {}
    for edge in graph["edges"]:
        leading.setdefault(edge["from"], []).append(edge)
    place = in_order(after)
    rest = [node for node in graph["nodes"] if not after or in_order(node["id"]) > place]
    pairs = fitting(((_short(node), leading.get(node["id"], [])) for node in rest), room=room)
    nodes, edges = [node for node, _ in pairs], [edge for _, edges in pairs for edge in edges]
    is_whole = nodes == graph["nodes"]
    found = {**graph, "nodes": nodes, "edges": edges, **({} if is_whole else {PARTIAL: True})}
    return found, nodes[-1]["id"] if len(nodes) < len(rest) else ""


def _short(node: Json) -> Json:
    long = {k: v for k, v in node["attributes"].items() if isinstance(v, str) and len(v) > LONGEST}
    if not long:
        return node
    cut = {name: text[: LONGEST - 1] + "…" for name, text in long.items()}
    return {**node, "attributes": {**node["attributes"], **cut}}
