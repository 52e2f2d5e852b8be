"""Graphs as plans are suggested and compiled: nodes of a kind, edges between ends that lead to what comes later."""

from __future__ import annotations

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]

TASK, SUBGRAPH = KINDS = ("task", "subgraph")
ENDS = ("nodeId", "node_id")


def plain(nodes: Sequence[Any], edges: Sequence[Any]) -> Json:
    """The parts of a graph in the form of all others; what has that form already stays as it is.

    There an edge leads to what its node waits for, so those of a hierarchical graph are turned round.
    """
    return {
        "nodes": [_node(node, f"nodes[{at}]") for at, node in enumerate(nodes)],
        "edges": [_edge(edge) for edge in edges],
    }


def _node(node: Any, field: str) -> Any:
    if not isinstance(node, dict) or "kind" not in node:
        return node
    found = {name: value for name, value in node.items() if name not in ("kind", "ref")}
    if node["kind"] not in KINDS:
        raise Invalid(f"{field}.kind: is none", hint=f"one of {', '.join(KINDS)}", data={"field": f"{field}.kind"})
    attributes = found.get("attributes") or {}
    if node["kind"] == TASK or not isinstance(attributes, dict):
        return found
    return {**found, "attributes": {**attributes, "kind": SUBGRAPH, "ref": node.get("ref")}}


def _edge(edge: Any) -> Any:
    ends = [_end(edge.get(name)) for name in ("from", "to")] if isinstance(edge, dict) else []
    if not ends or not all(ends):
        return edge
    others = {name: value for name, value in edge.items() if name not in ("id", "from", "to")}
    earlier, later = ends
    return {"from": later, "to": earlier, **others}


def _end(given: Any) -> Any:
    """The node that an end names; nothing where it is not written as an object that does."""
    if not isinstance(given, dict) or len(given) != 1:
        return None
    return next((given[name] for name in ENDS if name in given), None)
