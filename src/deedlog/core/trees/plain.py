"""Hierarchical graphs in the form of all other graphs here: an edge leads to what its node waits for."""

from __future__ import annotations

from deedlog.core.graphs.shape import PARTIAL, normalised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

SUBGRAPH = "subgraph"


def plain(graph: Json) -> tuple[Json, dict[str, Json]]:
    """The graph in the one form, and the graphs inside it by the names that its nodes have for them."""
    inner: dict[str, Json] = {}
    nodes = [_node(node, inner) for node in _objects(graph.get("nodes"))]
    edges = [_edge(edge) for edge in _objects(graph.get("edges"))]
    name = str(graph.get("name") or graph.get("id") or "")
    given = {"name": name, "nodes": nodes, "edges": edges, "metadata": graph.get("metadata") or {}}
    given |= {PARTIAL: graph.get(PARTIAL)}  # refused there
    version = graph.get("graphVersion")
    return normalised(given, str(graph.get("graphId") or name), version if isinstance(version, int) else 0), inner


def finder(inner: dict[str, Json], stored: Callable[[str], Json | None]) -> Callable[[str], Json | None]:
    """What a `ref` names: a graph inside, else a stored one."""

    def found(ref: str) -> Json | None:
        if ref in inner:
            graph, more = plain(inner[ref])
            inner.update({name: nested for name, nested in more.items() if name not in inner})
            return graph
        return stored(ref)

    return found


def _objects(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _node(node: Any, inner: dict[str, Json]) -> Any:
    if not isinstance(node, dict) or "kind" not in node:
        return node
    attributes = dict(node.get("attributes") or {})
    if node["kind"] == SUBGRAPH:
        name = str(node.get("ref") or node.get("id"))
        own = node.get("graph") or (node.get("params") or {}).get("graph")
        if isinstance(own, dict):
            inner[name] = own
        attributes |= {"kind": SUBGRAPH, "ref": name}
    label = {"label": node["label"]} if node.get("label") else {}
    return {"id": node.get("id"), "attributes": attributes, **label}


def _edge(edge: Any) -> Any:
    if not isinstance(edge, dict) or not isinstance(edge.get("from"), dict) or not isinstance(edge.get("to"), dict):
        return edge
    earlier, later = (edge[end].get("nodeId") or edge[end].get("node_id") for end in ("from", "to"))
    more = {name: edge[name] for name in ("label", "attributes") if edge.get(name)}
    return {"from": later, "to": earlier, **more}
