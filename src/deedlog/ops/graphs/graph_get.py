from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.graphs.partial import part
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import graphs
from deedlog.work.graph_rows import GraphId

Json = dict[str, Any]


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
    callers=ANYONE,
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
    """Read a graph at its latest version or an earlier one: nodes, edges (from waits for to) and metadata.

    A page of a large one, or one with texts that are cut, says `partial`; such a graph is not taken back.
    """
    shown = graphs.read(ctx, graph_id, version)
    graph, following = part(shown.graph, cursor)
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
