from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.records.graph import drawn
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Graphed(TypedDict):
    format: str
    text: str


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
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
    return {"format": format, "text": drawn(ctx.records.book().adrs, format)}
