from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.graphs.shape import in_order
from deedlog.core.moment import millis
from deedlog.core.page import fitting, size
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import graphs
from deedlog.work.graph_rows import GraphId

Json = dict[str, Any]
LONGEST = 4_000  # characters of an attribute in an answer


class Found(TypedDict):
    graph_id: str
    kind: Literal["workflow", "graph"]
    version: int
    committed_at: int
    graph: Json
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="graphs",
    further=True,
    examples=("deedlog graph get release", "deedlog graph get release --version 2"),
)
def graph_get(
    ctx: Context,
    *,
    graph_id: GraphId,
    version: Annotated[int | None, Field("As it was then", minimum=1)] = None,
    cursor: Annotated[str, Field("next_cursor of the page before", max_length=200)] = "",
) -> Found:
    """Read a graph at its latest version or an earlier one: nodes, edges (from waits for to) and metadata."""
    shown = graphs.read(ctx, graph_id, version)
    graph, following = _page(shown.graph, cursor)
    found: Found = {
        "graph_id": graph_id,
        "kind": "workflow" if shown.is_workflow else "graph",
        "version": shown.version,
        "committed_at": millis(shown.committed_at),
        "graph": graph,
    }
    if following:
        found["next_cursor"] = following
    return found


def _page(graph: Json, cursor: str) -> tuple[Json, str]:
    """As many nodes as fit, with the edges that lead from them, and the last node's name where more follow."""
    if not cursor and size(graph) <= LONGEST:
        return graph, ""
    after = in_order(cursor)
    leading: dict[str, list[Json]] = {}
    for edge in graph["edges"]:
        leading.setdefault(edge["from"], []).append(edge)
    rest = [node for node in graph["nodes"] if not cursor or in_order(node["id"]) > after]
    pairs = fitting([(_short(node), leading.get(node["id"], [])) for node in rest])
    page = {**graph, "nodes": [node for node, _ in pairs], "edges": [edge for _, edges in pairs for edge in edges]}
    return page, pairs[-1][0]["id"] if len(pairs) < len(rest) else ""


def _short(node: Json) -> Json:
    long = {k: v for k, v in node["attributes"].items() if isinstance(v, str) and len(v) > LONGEST}
    if not long:
        return node
    cut = {name: text[: LONGEST - 1] + "…" for name, text in long.items()}
    return {**node, "attributes": {**node["attributes"], **cut}}
