from __future__ import annotations

from json import dumps
from typing import Annotated, Literal, TypedDict

from deedlog.core.records.graph import dot, graph_of, mermaid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Graphed(TypedDict):
    format: str
    text: str


@operation(
    Effect.READ,
    capability="clarify",
    people=True,
    raw="text",
    examples=("deedlog adr graph", "deedlog adr graph --format dot | dot -Tsvg > decisions.svg"),
)
def adr_graph(
    ctx: Context,
    *,
    format: Annotated[Literal["mermaid", "dot", "json"], Field("How to write it")] = "mermaid",  # noqa: A002
) -> Graphed:
    """Draw which ADR took the place of which, field by field."""
    nodes, edges = graph_of(ctx.records.book().adrs)
    if format == "json":
        return {"format": format, "text": dumps({"nodes": nodes, "edges": edges}, indent=1) + "\n"}
    return {"format": format, "text": mermaid(nodes, edges) if format == "mermaid" else dot(nodes, edges)}
