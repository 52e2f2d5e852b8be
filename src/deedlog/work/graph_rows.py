"""What the operations on graphs take and answer."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.graphs.partial import part
from deedlog.core.page import size
from deedlog.operation.define import Field

Json = dict[str, Any]
MOST_GRAPH = 24_000  # characters of a graph in an answer that tells more than it
MOST_OPERATIONS = 200
DAY_MS = 86_400_000

GraphId = Annotated[str, Field("A workflow's id, or a graph's", min_length=1, max_length=80)]
Expected = Annotated[int | None, Field("Only if the graph is at this version", minimum=0)]
TxId = Annotated[str, Field("Transaction, from tx_begin", min_length=1, max_length=80)]
Owner = Annotated[str, Field("On whose behalf, if not yours", max_length=120)]
Note = Annotated[str, Field("What for", max_length=240)]
Operations = Annotated[
    list[Json],
    Field(
        'Such as {"op":"add_node","node":{"id","label","attributes"}}, remove_node{id}, rename_node{id,new_id}, '
        "add_edge{edge:{from,to}}, remove_edge{from,to}, set_node_attribute{id,key,value}, "
        "set_edge_attribute{from,to,key,value}, patch_metadata{set,unset}, "
        "rewrite{rule: split_parallel|inline_subgraph|reroute_avoid, params}",
        max_items=MOST_OPERATIONS,
    ),
]


class Applied(TypedDict):
    op: str
    description: str
    changed: bool


class Invariants(TypedDict):
    ok: bool
    violations: list[Json]


class GraphAnswer(TypedDict):
    graph: Json
    graph_cut: NotRequired[bool]


def told(graph: Json, room: int = MOST_GRAPH) -> GraphAnswer:
    """A graph in an answer, and whether it is too large to be there as a whole: graph_get has it page by page."""
    if size(graph) <= room:
        return {"graph": graph}
    return {"graph": part(graph, room=room)[0], "graph_cut": True}
