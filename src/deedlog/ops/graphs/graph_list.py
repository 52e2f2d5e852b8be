from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.graph import Graph
from deedlog.core.moment import millis
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.graphs import Listed, version_of

KINDS: dict[str, type[Graph | Workflow]] = {"graph": Graph, "workflow": Workflow}


class Row(TypedDict):
    graph_id: str
    kind: Literal["workflow", "graph"]
    name: str
    version: int
    created_at: int


class Graphs(TypedDict):
    graphs: list[Row]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="graphs",
    callers=ANYONE,
    further=True,
    columns=["graph_id", "kind", "version", "name"],
    examples=("deedlog graph list", "deedlog graph list --kind graph"),
)
def graph_list(
    ctx: Context,
    *,
    kind: Annotated[Literal["workflow", "graph"] | None, Field("Only these")] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=200)] = 50,
    cursor: Annotated[str, Field("next_cursor of the page before", max_length=200)] = "",
) -> Graphs:
    """List graphs, newest first: those of their own, then those of workflows."""
    at, _, place = cursor.partition(":")
    if cursor and at not in KINDS:
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned")
    rows: list[tuple[Row, str]] = []
    for name, entity in KINDS.items():
        if (kind and name != kind) or (cursor and [*KINDS].index(name) < [*KINDS].index(at)):
            continue
        before = page.opened(place) if name == at else None
        found = ctx.ledger.find(entity, {}, limit=limit + 1 - len(rows), before=before)
        rows += [(_row(ctx, name, one), f"{name}:{page.cursor(ctx.ledger.sort_key(one))}") for one in found]
    fits = page.fitting([row for row, _ in rows[:limit]])
    answer: Graphs = {"graphs": fits}
    if len(fits) < len(rows):
        answer["next_cursor"] = rows[len(fits) - 1][1]
    return answer


def _row(ctx: Context, kind: str, found: Graph | Workflow) -> Row:
    is_workflow = kind == "workflow"
    listed = Listed(id=found.id, name=found.name, is_workflow=is_workflow, created_at=found.created_at)
    return {
        "graph_id": found.id,
        "kind": "workflow" if is_workflow else "graph",
        "name": found.name,
        "version": version_of(ctx, listed),
        "created_at": millis(found.created_at),
    }
