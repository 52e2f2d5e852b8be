from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.graphs.patch import difference, summary
from deedlog.core.graphs.shape import normalised
from deedlog.core.page import MOST_CHARACTERS, size
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import graphs
from deedlog.work.graph_rows import GraphId

Json = dict[str, Any]
LATEST: Json = {"latest": True}
SELECTOR = '{"latest":true}, {"version":n} or {"graph":{…}}'


class Side(TypedDict):
    source: str
    version: Any


Difference = TypedDict(
    "Difference",
    {"graph_id": str, "changed": bool, "operations": list[Json], "summary": Json, "from": Side, "to": Side},
)


@operation(
    Effect.READ,
    capability="diff-patch",
    callers=ANYONE,
    examples=("deedlog graph diff release --from '{\"version\":1}'",),
)
def graph_diff(
    ctx: Context,
    *,
    graph_id: GraphId,
    from_: Annotated[Json | None, Field(SELECTOR)] = None,
    to: Annotated[Json | None, Field("The same; latest if left out")] = None,
) -> Difference:
    """Tell what differs between two versions of a graph, as a JSON Patch that graph_patch takes."""
    start, old = _selected(ctx, graph_id, from_ or LATEST, "from")
    end, new = _selected(ctx, graph_id, to or LATEST, "to")
    operations = difference(old, new)
    if (length := size(operations)) > MOST_CHARACTERS:
        raise Conflict(
            f"the difference has {length} characters, too many for an answer",
            hint="compare versions that are nearer to each other; graph_get shows each",
            data={"characters": length},
        )
    return {
        "graph_id": graph_id,
        "changed": bool(operations),
        "operations": operations,
        "summary": summary(old, new),
        "from": start,
        "to": end,
    }


def _selected(ctx: Context, graph_id: str, selector: Json, field: str) -> tuple[Side, Json]:
    if len(selector) != 1:
        raise Invalid(f"{field}: says not which one", hint=f"one of {SELECTOR}", data={"field": field})
    name, value = next(iter(selector.items()))
    if name == "graph":
        return {"source": "provided", "version": None}, normalised(value, graph_id, 0, f"{field}.graph")
    is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not (name == "latest" and value is True) and not (name == "version" and is_number):
        raise Invalid(f"{field}: says not which one", hint=f"one of {SELECTOR}", data={"field": field})
    shown = graphs.read(ctx, graph_id, value if name == "version" else None)
    return {"source": name, "version": shown.version}, shown.graph
