from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.graphs.shape import MOST_ID
from deedlog.core.page import size
from deedlog.core.trees.compiling import compiled
from deedlog.core.trees.graphs import tree_of
from deedlog.core.trees.shape import checked
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import graphs

Json = dict[str, Any]
MOST_ANSWER = 38_000  # characters
GRAPH = (
    "{id, nodes: [{id, kind: task|subgraph, label, attributes: {bt_tool, bt_input_key}}], "
    "edges: [{from: {nodeId}, to: {nodeId}}]}"
)


class Tree(TypedDict):
    id: str
    root: Json
    tasks: list[str]


@operation(
    Effect.READ,
    capability="bt",
    callers=ANYONE,
    words="plan compile-bt",
    examples=("deedlog plan compile-bt --graph-id release",),
)
def plan_compile_bt(
    ctx: Context,
    *,
    graph: Annotated[Json | None, Field(GRAPH)] = None,
    graph_id: Annotated[str | None, Field("Or a stored graph", max_length=80)] = None,
) -> Tree:
    """Turn a hierarchical graph into a behaviour tree: a sequence in topological order, for plan_run_bt.

    A subgraph has its own graph, or a ref to a stored one. Edges lead to what comes later.
    """
    if (graph is None) == (graph_id is None):
        raise Invalid("graph: give either graph or graph_id", data={"field": "graph"})
    given = graph if graph is not None else _stored(ctx, graph_id or "")
    tree = checked(tree_of(given, lambda ref: _stored(ctx, ref)))
    tasks = [step.name for step in compiled(tree).steps if step.leaf]
    answer: Tree = {"id": tree["id"], "root": tree["root"], "tasks": tasks}
    if size(answer) > MOST_ANSWER:
        raise Invalid(
            f"graph: its tree has {size(answer)} characters, too many for one answer",
            hint="compile parts of it, or run the graph itself with plan_run",
            data={"field": "graph"},
        )
    return answer


def _stored(ctx: Context, graph_id: str) -> Json:
    return {"id": graph_id[:MOST_ID], **graphs.read(ctx, graph_id).graph}
