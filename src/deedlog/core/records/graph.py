"""Which ADR took the place of which, as a graph for people and programs."""

from __future__ import annotations

import json

from deedlog.core.records.markdown import cut, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.records.values import Adr

    Nodes = list[dict[str, str]]
    Edges = list[dict[str, str]]

WIDTH = 80
MERMAID = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "`": "'", "\\": "/"})
DOT = str.maketrans({'"': '\\"', "\\": "\\\\"})


def graph_of(adrs: Sequence[Adr]) -> tuple[Nodes, Edges]:
    """Every ADR, and for each field that one took over from another an edge from the newer to the older one."""
    nodes = [{"uid": adr.uid, "title": flat(adr.title), "path": flat(adr.path), "form": adr.form} for adr in adrs]
    edges = [
        {
            "from": adr.uid,
            "to": uid,
            "field": flat(f"{change.area}.{change.field}"),
            "was": change.was,
            "is": change.value,
        }
        for adr in adrs
        for change in adr.changes
        for uid in dict.fromkeys([change.was_uid, *change.over])
        if uid
    ]
    return nodes, edges


def drawn(adrs: Sequence[Adr], form: str) -> str:
    """The graph as mermaid, dot or json."""
    nodes, edges = graph_of(adrs)
    if form == "json":
        return json.dumps({"nodes": nodes, "edges": edges}, indent=1) + "\n"
    return mermaid(nodes, edges) if form == "mermaid" else dot(nodes, edges)


def mermaid(nodes: Nodes, edges: Edges) -> str:
    names = _names(nodes, edges)
    lines = [f'  {names[node["uid"]]}["{_label(node).translate(MERMAID)}"]' for node in nodes]
    lines += [
        f'  {names[edge["from"]]} -- "{cut(edge["field"], WIDTH).translate(MERMAID)}" --> {names[edge["to"]]}'
        for edge in edges
    ]
    return "\n".join(["flowchart TD", *lines]) + "\n"


def dot(nodes: Nodes, edges: Edges) -> str:
    names = _names(nodes, edges)
    lines = [f'  {names[node["uid"]]} [label="{_label(node).translate(DOT)}"];' for node in nodes]
    lines += [
        f'  {names[edge["from"]]} -> {names[edge["to"]]} [label="{cut(edge["field"], WIDTH).translate(DOT)}"];'
        for edge in edges
    ]
    return "\n".join(["digraph decisions {", *lines, "}"]) + "\n"


def _names(nodes: Nodes, edges: Edges) -> dict[str, str]:
    """Names that no text can break out of; an ADR that is not there any more has one too."""
    uids = dict.fromkeys([*(node["uid"] for node in nodes), *(edge["to"] for edge in edges)])
    return {uid: f"a{place}" for place, uid in enumerate(uids)}


def _label(node: dict[str, str]) -> str:
    return cut(f"{node['uid']} {node['title']}", WIDTH)
