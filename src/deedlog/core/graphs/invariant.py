"""The rules a graph sets itself in its metadata, and what breaks them.

`graph_kind: "dag"`, `dag` or `enforce_dag`: no node waits for itself by any way. `require_labels`,
`require_edge_labels`: each has one. `require_ports`: each edge has the attributes from_port and to_port.
`max_in_degree`, `max_out_degree`: of every node, or as an attribute of one.
"""

from __future__ import annotations

from collections import Counter

from deedlog.core.errors import Conflict
from deedlog.core.graphs.circle import circle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Json = dict[str, Any]

CYCLE, PORTS, CARD, LABELS = "E-PATCH-CYCLE", "E-PATCH-PORTS", "E-PATCH-CARD", "E-PATCH-INVARIANT-VIOLATION"
MOST_TOLD = 20
MOST_NAMED = 6
DEGREES = (("max_in_degree", "to"), ("max_out_degree", "from"))
HINTS = {
    CYCLE: "remove one of these edges",
    PORTS: "set the attributes from_port and to_port, or unset require_ports",
    CARD: "remove an edge, or raise the limit",
    LABELS: "set a label, or unset the rule in the metadata",
}


def is_acyclic(metadata: Json) -> bool:
    """Whether a graph says of itself that it has no circle."""
    return metadata.get("graph_kind") == "dag" or metadata.get("dag") is True or metadata.get("enforce_dag") is True


def report(graph: Json, *, acyclic: bool = False) -> Json:
    """Whether all rules hold, and what breaks them; `acyclic` where there must be no circle whatever it says."""
    found = [*_violations(graph, acyclic=acyclic or is_acyclic(graph["metadata"]))]
    return {"ok": not found, "violations": found[:MOST_TOLD]}


def refuse_broken(graph: Json, *, acyclic: bool = False, enforce: bool = True) -> Json:
    """The report on a graph, refused where it breaks a rule; without `enforce` only a circle that must not be is."""
    found = report(graph, acyclic=acyclic)
    first = found["violations"][0] if not found["ok"] else {}
    if not first or (not enforce and not (acyclic and first["code"] == CYCLE)):
        return found
    raise Conflict(first["message"], hint=HINTS[first["code"]], data={"code": first["code"], **found})


def _violations(graph: Json, *, acyclic: bool) -> Iterator[Json]:
    if acyclic and (way := _circle(graph)):
        yield _violation(CYCLE, f"nodes wait for each other: {told(way)}", nodes=way[:100])
    yield from _unlabelled(graph)
    if graph["metadata"].get("require_ports") is True:
        for edge in graph["edges"]:
            if not all(_is_port(edge["attributes"].get(port)) for port in ("from_port", "to_port")):
                yield _violation(PORTS, f"{_named(edge)} has no ports", edge=_ends(edge))
    yield from _degrees(graph)


def _circle(graph: Json) -> list[str]:
    after: dict[str, list[str]] = {node["id"]: [] for node in graph["nodes"]}
    for edge in graph["edges"]:
        after[edge["from"]].append(edge["to"])
    return circle(after, after.__getitem__)


def told(way: list[str]) -> str:
    """A way, short enough for a message."""
    short = [name if len(name) <= 14 else name[:13] + "…" for name in way]  # noqa: PLR2004
    if len(short) > MOST_NAMED:
        short[MOST_NAMED // 2 : -MOST_NAMED // 2] = ["…"]
    return " → ".join(short)


def _unlabelled(graph: Json) -> Iterator[Json]:
    if graph["metadata"].get("require_labels") is True:
        for node in graph["nodes"]:
            if not node.get("label"):
                yield _violation(LABELS, f"node {node['id'][:60]!r} has no label", nodes=[node["id"]])
    if graph["metadata"].get("require_edge_labels") is True:
        for edge in graph["edges"]:
            if not edge.get("label"):
                yield _violation(LABELS, f"{_named(edge)} has no label", edge=_ends(edge))


def _degrees(graph: Json) -> Iterator[Json]:
    for rule, end in DEGREES:
        counts = Counter(edge[end] for edge in graph["edges"])
        common = _limit(graph["metadata"].get(rule))
        for node in graph["nodes"]:
            own = _limit(node["attributes"].get(rule))
            most = common if own is None else own
            if most is not None and counts[node["id"]] > most:
                message = f"node {node['id'][:60]!r} has {counts[node['id']]} edges, {rule} is {most}"
                yield _violation(CARD, message, nodes=[node["id"]], max=most, actual=counts[node["id"]])


def _limit(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return int(value)


def _is_port(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _named(edge: Json) -> str:
    return f"edge {edge['from'][:30]!r} → {edge['to'][:30]!r}"


def _ends(edge: Json) -> Json:
    return {"from": edge["from"], "to": edge["to"]}


def _violation(code: str, message: str, **more: object) -> Json:
    return {"code": code, "message": message, **more}
