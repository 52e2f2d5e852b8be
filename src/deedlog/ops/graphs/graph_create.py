from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.graphs.hierarchical import plain
from deedlog.core.graphs.written import PRESETS, parsed
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.graph_change import founded
from deedlog.work.graph_rows import Owner, told
from deedlog.work.lookup import repeated

Json = dict[str, Any]


class Created(TypedDict):
    op_id: str
    graph_id: str
    version: int
    committed_at: int
    task_count: int
    edge_count: int
    graph: Json
    graph_cut: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="graphs",
    callers=ANYONE,
    further=True,
    examples=(
        "deedlog graph create Release --preset lint_test_build_package",
        "deedlog graph create Release --graph-id release --text @release.txt",
    ),
)
def graph_create(
    ctx: Context,
    *,
    name: Annotated[str, Field("Its name", min_length=1, max_length=200)],
    graph_id: Annotated[str, Field("Its id; one is made if left out", max_length=80)] = "",
    text: Annotated[str, Field("A node a line: id[: label][-> needed, needed]", max_length=100_000)] = "",
    preset: Annotated[
        Literal["lint_test_build_package", "analysis_ci_pipeline"] | None, Field("One that comes with us")
    ] = None,
    nodes: Annotated[list[Json] | None, Field("{id, label, attributes}")] = None,
    edges: Annotated[list[Json] | None, Field("{from, to, label, weight, attributes}: from waits for to")] = None,
    metadata: Annotated[Json | None, Field("Also rules: dag, require_labels, max_in_degree, …")] = None,
    owner: Owner = "",
) -> Created:
    """Make a graph of its own from nodes and edges, a text or a preset.

    The tasks of a workflow are a graph already. Nodes and edges of a plan that was suggested are taken as they are.
    """
    parts = _parts(text, preset, nodes, edges)
    graph = {**parts, "name": name, "metadata": metadata or {}}
    new_id = graph_id or ctx.new_id("graph")
    acts_for = owner or ctx.actor

    def attempt() -> Created:
        plan = founded(ctx, new_id, graph, acts_for)
        answer: Created = {
            "op_id": ctx.op_id,
            "graph_id": new_id,
            "version": plan.version,
            "committed_at": millis(plan.committed_at),
            "task_count": len(plan.graph["nodes"]),
            "edge_count": len(plan.graph["edges"]),
            **told(plan.graph),
        }
        return ctx.commit(*plan.values, answer=answer, seen=plan.seen, owner=acts_for)

    return repeated(attempt)


def _parts(text: str, preset: str | None, nodes: list[Json] | None, edges: list[Json] | None) -> Json:
    given = [name for name, value in (("text", text), ("preset", preset), ("nodes", nodes or edges)) if value]
    if len(given) > 1:
        raise Invalid(f"{' and '.join(given)} cannot be given together", hint="one of them says what the graph is")
    if text or preset:
        return parsed(text or PRESETS[preset or ""])
    return plain(nodes or [], edges or [])
