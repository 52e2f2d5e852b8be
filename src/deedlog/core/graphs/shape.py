"""The one form in which graphs are read, compared and checked.

    {name, graphId, graphVersion, nodes: [{id, label?, attributes}],
     edges: [{from, to, label?, weight?, attributes}], metadata}

An edge leads from a node to one it waits for. Nodes and edges are in the order of their names, so that two graphs
that say the same are equal. Attributes and metadata are texts, numbers and booleans.
"""

from __future__ import annotations

import re

from deedlog.core.data import MOST_NUMBER, same
from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Json = dict[str, Any]

MOST_NODES, MOST_EDGES, MOST_ATTRIBUTES = 2_000, 10_000, 100
MOST_ID, MOST_NAME, MOST_TEXT = 120, 500, 100_000
GRAPH_ID = re.compile(r"[A-Za-z0-9._-]{1,80}")
DIGITS = re.compile(r"(\d+)", re.ASCII)
NODE_PARTS = ("id", "label", "attributes")
EDGE_PARTS = ("from", "to", "label", "weight", "attributes")
GRAPH_PARTS = ("name", "nodes", "edges", "metadata")
PARTIAL = "partial"  # marks what is only a part of a graph: it must not be stored as the whole
ALSO_CALLED = {"graphId": "graph_id", "graphVersion": "graph_version"}  # told of a graph, and no part of it


def empty(graph_id: str, name: str = "") -> Json:
    return {"name": name, "graphId": graph_id, "graphVersion": 0, "nodes": [], "edges": [], "metadata": {}}


def normalised(given: object, graph_id: str, version: int, field: str = "graph") -> Json:
    """What somebody gave as a graph, in the one form; refused where it is none."""
    if isinstance(given, dict) and given.get(PARTIAL):
        raise _wrong(field, "is only a part of a graph", "graph_get with its next_cursor reads the rest")
    graph = _object(given, field, (*GRAPH_PARTS, *ALSO_CALLED, *ALSO_CALLED.values(), PARTIAL))
    nodes = [node_of(node, f"{field}.nodes[{at}]") for at, node in enumerate(_list(graph, "nodes", field, MOST_NODES))]
    edges = [edge_of(edge, f"{field}.edges[{at}]") for at, edge in enumerate(_list(graph, "edges", field, MOST_EDGES))]
    _refuse_repeated((node["id"] for node in nodes), f"{field}.nodes")
    _refuse_repeated((f"{edge['from']} -> {edge['to']}" for edge in edges), f"{field}.edges")
    _refuse_loose(nodes, edges, field)
    return {
        "name": _text(graph.get("name") or "", f"{field}.name", MOST_NAME),
        "graphId": graph_id,
        "graphVersion": version,
        "nodes": sorted(nodes, key=lambda node: in_order(node["id"])),
        "edges": sorted(edges, key=lambda edge: (in_order(edge["from"]), in_order(edge["to"]))),
        "metadata": attributes(graph.get("metadata"), f"{field}.metadata"),
    }


def in_order(name: str) -> list[tuple[int, int | str]]:
    """What names are sorted by: task-2 comes before task-10."""
    return [(0, int(part)) if part.isdigit() and part.isascii() else (1, part) for part in DIGITS.split(name)]


def check_graph_id(text: str, field: str = "graph_id") -> str:
    if not GRAPH_ID.fullmatch(text):
        raise _wrong(field, "is no name of a graph", "use 1 to 80 letters, digits, dots, dashes and underscores")
    return text


def check_node_id(text: object, field: str) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= MOST_ID or not text.isprintable() or len(text.split()) != 1:
        raise _wrong(field, "is no name of a node", f"use 1 to {MOST_ID} characters without spaces")
    if text != text.strip():
        raise _wrong(field, "is no name of a node", "leave out the spaces around it")
    return text


def attributes(given: object, field: str) -> Json:
    """Attributes as they are kept: without those that are null."""
    found = _object({} if given is None else given, field)
    if len(found) > MOST_ATTRIBUTES:
        raise _wrong(field, f"has {len(found)} names", f"at most {MOST_ATTRIBUTES} are allowed")
    return {
        _text(name, field, MOST_ID): attribute(value, f"{field}.{name[:MOST_ID]}")
        for name, value in found.items()
        if value is not None
    }


def attribute(value: object, field: str) -> str | float | bool:
    if isinstance(value, str):
        return _text(value, field, MOST_TEXT)
    if isinstance(value, int | float) and abs(value) <= MOST_NUMBER:  # NaN is not
        return value
    raise _wrong(field, "is neither text, number nor boolean", "JSON as a text can carry more")


def is_same(one: Json, other: Json) -> bool:
    """Whether two graphs say the same, whatever their versions are."""
    return all(same(one[part], other[part]) for part in GRAPH_PARTS)


def with_parts(graph: Json, *, nodes: list[Json] | None = None, edges: list[Json] | None = None, **more: Any) -> Json:
    """`graph` with other parts, checked and in order again."""
    parts = {**graph, **more}
    parts |= {"nodes": nodes} if nodes is not None else {}
    parts |= {"edges": edges} if edges is not None else {}
    return normalised(parts, graph["graphId"], graph["graphVersion"])


def node_of(given: object, field: str) -> Json:
    node = _object(given, field, NODE_PARTS)
    name = check_node_id(node.get("id"), f"{field}.id")
    return {"id": name, **_label(node, field, name), "attributes": attributes(node.get("attributes"), field)}


def edge_of(given: object, field: str) -> Json:
    edge = _object(given, field, EDGE_PARTS)
    ends = {end: check_node_id(edge.get(end), f"{field}.{end}") for end in ("from", "to")}
    weight = edge.get("weight")
    if weight is not None and (isinstance(weight, bool) or not isinstance(attribute(weight, field), int | float)):
        raise _wrong(f"{field}.weight", "is no number")
    heavy = {} if weight is None else {"weight": weight}
    return {**ends, **_label(edge, field), **heavy, "attributes": attributes(edge.get("attributes"), field)}


def _label(part: Mapping[str, object], field: str, same_as: str = "") -> Json:
    """Its label, where it has one that says more than its name."""
    label = part.get("label")
    text = "" if label is None else _text(label, f"{field}.label", MOST_NAME)
    return {"label": text} if text.strip() and text != same_as else {}


def _object(given: object, field: str, known: tuple[str, ...] | None = None) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise _wrong(field, "is no object")
    for name in given:
        if known and name not in known:
            raise _wrong(field, f"has no part {str(name)[:40]!r}", f"it has {', '.join(known)}")
    return given


def _list(graph: Mapping[str, Any], part: str, field: str, most: int) -> list[object]:
    found = graph.get(part) or []
    if not isinstance(found, list):
        raise _wrong(f"{field}.{part}", "is no list")
    if len(found) > most:
        raise _wrong(f"{field}.{part}", f"has {len(found)} items", f"at most {most} are allowed")
    return found


def _text(value: object, field: str, most: int) -> str:
    if not isinstance(value, str):
        raise _wrong(field, "is no text")
    if len(value) > most:
        raise _wrong(field, f"has {len(value)} characters", f"at most {most} are allowed")
    if any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in value):
        raise _wrong(field, "has characters that no text can hold")
    return value


def _refuse_repeated(names: Iterable[str], field: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise _wrong(field, f"has {name[:60]!r} twice")
        seen.add(name)


def _refuse_loose(nodes: list[Json], edges: list[Json], field: str) -> None:
    known = {node["id"] for node in nodes}
    for at, edge in enumerate(edges):
        for end in ("from", "to"):
            if edge[end] not in known:
                raise _wrong(f"{field}.edges[{at}].{end}", f"there is no node {edge[end][:60]!r}")


def _wrong(field: str, what: str, hint: str = "") -> Invalid:
    return Invalid(f"{field[-60:]}: {what}", hint=hint, data={"field": field[-200:]})
