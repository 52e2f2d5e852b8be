from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.graphs.invariant import report
from deedlog.core.graphs.shape import normalised
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import graphs

Json = dict[str, Any]


class Verdict(TypedDict):
    ok: bool
    violations: list[Json]
    nodes: int
    edges: int
    graph_id: NotRequired[str]
    version: NotRequired[int]


@operation(
    Effect.READ,
    capability="graphs",
    callers=ANYONE,
    further=True,
    examples=("deedlog graph validate --graph-id release", "deedlog graph validate --graph '{\"nodes\": []}'"),
)
def graph_validate(
    ctx: Context,
    *,
    graph_id: Annotated[str, Field("A workflow's id, or a graph's", max_length=80)] = "",
    version: Annotated[int | None, Field("As it was then", minimum=1)] = None,
    graph: Annotated[Json | None, Field("One that is not stored: {name, nodes, edges, metadata}")] = None,
) -> Verdict:
    """Tell whether a graph is sound and keeps the rules of its metadata; a workflow's has no circle."""
    if bool(graph_id) == (graph is not None):
        raise Invalid("either graph_id or graph says which graph", hint="give one of them")
    if graph is not None:
        try:
            found = normalised(graph, "graph", 0)
        except Invalid as refusal:
            violation = {"code": "E-GRAPH-INVALID-INPUT", "message": refusal.message, "hint": refusal.hint}
            return {"ok": False, "violations": [violation], "nodes": 0, "edges": 0}
        return _verdict(found, acyclic=False)
    shown = graphs.read(ctx, graph_id, version)
    return {**_verdict(shown.graph, acyclic=shown.is_workflow), "graph_id": graph_id, "version": shown.version}


def _verdict(graph: Json, *, acyclic: bool) -> Verdict:
    found = report(graph, acyclic=acyclic)
    return {
        "ok": found["ok"],
        "violations": found["violations"],
        "nodes": len(graph["nodes"]),
        "edges": len(graph["edges"]),
    }
