"""Graphs as behaviour trees: a sequence of what they contain, each after what it waits for.

In a hierarchical graph an edge `{from: {nodeId}, to: {nodeId}}` leads to what comes later. In the graphs of this
project (`from` and `to` are plain ids) it leads to what is waited for.
"""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.trees.shape import DEEPEST, MOST_NODES, SEQUENCE, TASK
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Json = dict[str, Any]

TOOL, INPUT_KEY, GOAL = "bt_tool", "bt_input_key", "goal"
AGENTS = ("agent", "assignee")  # what the graph of a workflow calls who does it
SUBGRAPH = "subgraph"


class _Other(Value):
    """What a graph says only by naming it: the graphs behind a `ref`, and who does what nobody is named for."""

    found: Callable[[str], Json] | None
    agent: str


def tree_of(graph: Json, found: Callable[[str], Json] | None = None, agent: str = "") -> Json:
    """The tree of a graph; `found` has the graphs that its subgraphs name, `agent` does what nobody is named for."""
    name = _id_of(graph)
    children = _children(graph, "", _Other(found=found, agent=agent), [name])
    root = children[0] if len(children) == 1 else {"type": SEQUENCE, "id": f"{name}:sequence", "children": children}
    return {"id": name, "root": root}


def in_order(nodes: Sequence[str], waits_for: Mapping[str, Sequence[str]]) -> list[str]:
    """The nodes, each after those it waits for, else by their ids; refused where they wait for each other."""
    left = {node: set(waits_for.get(node, ())) for node in sorted(nodes)}
    ordered: list[str] = []
    while left:
        ready = next((node for node, before in left.items() if not before), None)
        if ready is None:
            raise _circle([*left])
        del left[ready]
        ordered.append(ready)
        for before in left.values():
            before.discard(ready)
    return ordered


def levels(waits_for: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The nodes in waves: what may run at the same time, each wave after the one before."""
    counts = {node: len(set(before)) for node, before in waits_for.items()}
    waiting: dict[str, list[str]] = {node: [] for node in waits_for}
    for node, before in waits_for.items():
        for other in set(before):
            waiting[other].append(node)
    waves, ready = [], [node for node, count in counts.items() if not count]
    while ready:
        waves.append(ready)
        after: list[str] = []
        for node in ready:
            for other in waiting[node]:
                counts[other] -= 1
                if not counts[other]:
                    after.append(other)
        ready = sorted(after)
    if left := [node for node, count in counts.items() if count]:
        raise _circle(left)
    return waves


def doer(attributes: Mapping[str, Any], otherwise: str) -> Any:
    """The tool or the agent that the attributes of a node name."""
    return next((attributes[said] for said in (TOOL, *AGENTS) if attributes.get(said)), otherwise)


def _circle(nodes: Sequence[str]) -> Invalid:
    return Invalid(
        f"graph: its nodes wait for each other: {', '.join(nodes[:5])}",
        hint="remove one of the edges between them",
        data={"field": "graph", "nodes": list(nodes[:50])},
    )


def _children(graph: Json, prefix: str, other: _Other, above: list[str]) -> list[Json]:
    nodes = {node["id"]: node for node in _nodes(graph)}
    waits_for: dict[str, list[str]] = {}
    for edge in graph.get("edges") or []:
        later, earlier = _ends(edge, nodes)
        waits_for.setdefault(later, []).append(earlier)
    return [_part(nodes[node], prefix, other, above) for node in in_order([*nodes], waits_for)]


def _part(node: Json, prefix: str, other: _Other, above: list[str]) -> Json:
    name, attributes = f"{prefix}{node['id']}", node.get("attributes") or {}
    if node.get("kind", attributes.get("kind")) == SUBGRAPH:
        inner = _inner(node, other.found)
        if (inner_id := _id_of(inner)) in above or len(above) >= DEEPEST:
            raise _wrong(f"{name}: contains itself, or is more than {DEEPEST} levels deep")
        children = _children(inner, f"{name}/", other, [*above, inner_id])
        return {"type": SEQUENCE, "id": name, "children": children}
    tool = doer(attributes, other.agent)
    if not isinstance(tool, str) or not tool.strip():
        raise _wrong(f"{node['id']!r:.60}: says neither {TOOL} nor {AGENTS[0]}: nothing would do it")
    leaf = {"type": TASK, "id": name, "node_id": name, "tool": tool}
    if INPUT_KEY in attributes:
        leaf["input_key"] = attributes[INPUT_KEY]
    elif attributes.get(GOAL):
        leaf["input"] = attributes[GOAL]
    leaf |= {"label": node["label"]} if node.get("label") else {}
    return leaf


def _inner(node: Json, found: Callable[[str], Json] | None) -> Json:
    inner = node.get("graph") or (node.get("params") or {}).get("graph")
    if isinstance(inner, dict):
        return inner
    if isinstance(ref := node.get("ref"), str) and found:
        return {"id": ref, **found(ref)}
    raise _wrong(f"{node['id']!r:.60}: a subgraph has its graph, or a ref that names one")


def _nodes(graph: Json) -> list[Json]:
    nodes = graph.get("nodes")
    if not isinstance(nodes, list) or not 0 < len(nodes) <= MOST_NODES:
        raise _wrong(f"nodes must be a list of 1 to {MOST_NODES}")
    for node in nodes:
        if not isinstance(node, dict) or not isinstance(node.get("id"), str) or not node["id"]:
            raise _wrong("every node has an id")
    if len({node["id"] for node in nodes}) < len(nodes):
        raise _wrong("two nodes have the same id")
    return nodes


def _ends(edge: object, nodes: dict[str, Json]) -> tuple[str, str]:
    """Who waits, and for whom."""
    if not isinstance(edge, dict):
        raise _wrong("an edge has from and to")
    source, target = edge.get("from"), edge.get("to")
    if isinstance(source, dict) and isinstance(target, dict):
        earlier, later = source.get("nodeId") or source.get("node_id"), target.get("nodeId") or target.get("node_id")
    else:
        later, earlier = source, target
    for name in (later, earlier):
        if not isinstance(name, str) or name not in nodes:
            raise _wrong(f"an edge names {name!r:.60}, which is no node")
    return str(later), str(earlier)


def _id_of(graph: Json) -> str:
    return str(graph.get("id") or graph.get("graph_id") or graph.get("graphId") or "graph")


def _wrong(message: str) -> Invalid:
    return Invalid(f"graph: {message}", hint="see the form of a graph in plan_compile_bt", data={"field": "graph"})
