"""Rules that rewrite a graph. Each finds what it is about by itself, and a second time finds nothing more.

`split_parallel`: an edge with `parallel: true` or `mode: "parallel"` gets a node of its own in between.
`inline_subgraph`: a node of the kind `subgraph` is replaced by the graph that its `ref` names.
`reroute_avoid`: nodes to avoid go, and who waited for them waits for what they waited for.
"""

from __future__ import annotations

import json

from deedlog.core.errors import Invalid
from deedlog.core.graphs.shape import MOST_ID, is_same, normalised, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Json = dict[str, Any]
    Subgraph = Callable[[str], Json | None]

SPLIT, INLINE, REROUTE = RULES = ("split_parallel", "inline_subgraph", "reroute_avoid")
PARAMS = ("split_parallel_targets", "reroute_avoid_node_ids", "reroute_avoid_labels")
REGISTRY = "hierarchy:subgraphs"  # in the metadata: graphs by name, as JSON
DEEPEST = 8  # graphs in graphs


def rewritten(
    graph: Json, rule: str, params: Mapping[str, Any] | None = None, subgraph: Subgraph | None = None
) -> Json:
    """`graph` after a rule; the same where there was nothing to do."""
    if rule not in RULES:
        raise Invalid(f"there is no rule {str(rule)[:40]!r}", hint=f"there are: {', '.join(RULES)}")
    given = _params(params)
    if rule == SPLIT:
        return _split(graph, given["split_parallel_targets"])
    if rule == REROUTE:
        return _reroute(graph, given["reroute_avoid_node_ids"], given["reroute_avoid_labels"])
    for _ in range(DEEPEST):
        inlined = _inline(graph, subgraph)
        if is_same(inlined, graph):
            return graph
        graph = inlined
    raise Invalid(f"graphs are in graphs more than {DEEPEST} deep", hint="does one contain itself?")


def _params(given: Mapping[str, Any] | None) -> dict[str, set[str]]:
    found = given or {}
    for name, value in found.items():
        if name not in PARAMS or not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Invalid(f"params: {str(name)[:40]!r} is no list of a rule", hint=f"there are: {', '.join(PARAMS)}")
    return {
        name: {text.replace(" ", "") if "targets" in name else text for text in found.get(name, ())} for name in PARAMS
    }


def _split(graph: Json, targets: set[str]) -> Json:
    names = {node["id"] for node in graph["nodes"]}
    nodes: list[Json] = []
    edges: list[Json] = []
    for edge in graph["edges"]:
        said = edge["attributes"]
        if not (said.get("parallel") is True or said.get("mode") == "parallel") or (
            targets and not targets & {f"{edge['from']}->{edge['to']}", f"{edge['from']}→{edge['to']}"}
        ):
            edges.append(edge)
            continue
        between = _free(f"{edge['from']}∥{edge['to']}", names)
        names.add(between)
        label = f"Parallel {edge.get('label') or edge['to']}"
        nodes.append({"id": between, "label": label, "attributes": {"kind": "parallel"}})
        rest = {name: value for name, value in said.items() if name not in ("parallel", "mode")}
        edges.append({**edge, "to": between, "attributes": {**rest, "role": "fanout"}})
        edges.append({**edge, "from": between, "attributes": {**rest, "role": "branch"}})
    return with_parts(graph, nodes=[*graph["nodes"], *nodes], edges=edges) if nodes else graph


def _free(name: str, taken: set[str]) -> str:
    """A name that no node has yet."""
    name, number = name[: MOST_ID - 5], 1
    found = name
    while found in taken:
        number += 1
        found = f"{name}#{number}"
    return found


def _reroute(graph: Json, ids: set[str], labels: set[str]) -> Json:
    avoided = [node["id"] for node in graph["nodes"] if node["id"] in ids or node.get("label") in labels]
    edges = {(edge["from"], edge["to"]): edge for edge in graph["edges"]}
    for name in avoided:
        before = [edge for edge in edges.values() if edge["to"] == name]
        after = [edge for edge in edges.values() if edge["from"] == name]
        edges = {ends: edge for ends, edge in edges.items() if name not in ends}
        for start in before:
            for end in after:
                ends = (start["from"], end["to"])
                if name not in ends and ends[0] != ends[1] and ends not in edges:
                    kept = {**end["attributes"], "rewritten_reroute_avoid": True}
                    edges[ends] = {**start, **end, "from": ends[0], "to": ends[1], "attributes": kept}
    if not avoided:
        return graph
    nodes = [node for node in graph["nodes"] if node["id"] not in avoided]
    return with_parts(graph, nodes=nodes, edges=list(edges.values()))


def _inline(graph: Json, subgraph: Subgraph | None) -> Json:
    """Without the nodes that stand for another graph that can be found."""
    known = _registry(graph)
    for node in graph["nodes"]:
        ref = node["attributes"].get("ref") or node["attributes"].get("subgraph_ref")
        if node["attributes"].get("kind") == "subgraph" and isinstance(ref, str):
            inner = known.get(ref) or (subgraph(ref) if subgraph else None)
            if inner is not None:
                graph = _in_place_of(graph, node["id"], normalised(inner, ref, 0, f"subgraph {ref[:40]}"))
    return graph


def _registry(graph: Json) -> Json:
    text = graph["metadata"].get(REGISTRY)
    try:
        found = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Invalid(f"metadata: {REGISTRY} is no JSON object", data={"field": REGISTRY})
    return {ref: entry["graph"] for ref, entry in found.items() if isinstance(entry, dict) and "graph" in entry}


def _in_place_of(graph: Json, name: str, inner: Json) -> Json:
    """The inner graph in place of a node: its first nodes wait for what the node waited for, and so on."""
    inside = {node["id"]: f"{name}/{node['id']}" for node in inner["nodes"]}
    waits = {edge["from"] for edge in inner["edges"]}
    awaited = {edge["to"] for edge in inner["edges"]}
    first = [inside[node["id"]] for node in inner["nodes"] if node["id"] not in waits]
    last = [inside[node["id"]] for node in inner["nodes"] if node["id"] not in awaited]
    edges = [{**edge, "from": inside[edge["from"]], "to": inside[edge["to"]]} for edge in inner["edges"]]
    edges += _rewired(graph["edges"], name, first, last)
    nodes = [node for node in graph["nodes"] if node["id"] != name]
    nodes += [_named(node, inside[node["id"]]) for node in inner["nodes"]]
    return with_parts(graph, nodes=nodes, edges=edges)


def _named(node: Json, name: str) -> Json:
    return {**node, "id": name, "label": node.get("label") or node["id"]}


def _rewired(edges: Iterable[Json], name: str, first: list[str], last: list[str]) -> list[Json]:
    found: list[Json] = []
    for edge in edges:
        if edge["from"] == name:
            found += [{**edge, "from": start} for start in first]
        elif edge["to"] == name:
            found += [{**edge, "to": end} for end in last]
        else:
            found.append(edge)
    return found
