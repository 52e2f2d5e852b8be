from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.impacts import checked_impacts
from deedlog.core.page import MOST_CHARACTERS, condensed, size
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import dry_runs, graphs

Json = dict[str, Any]
NodeId = Annotated[str, Field("Node", min_length=1, max_length=200)]


class NodeImpacts(TypedDict):
    id: NodeId
    label: NotRequired[Annotated[str, Field("Its label", max_length=200)]]
    value_impacts: NotRequired[Annotated[list[Json], Field("On values", max_items=32)]]


class Rewrite(TypedDict):
    avoid_node_ids: NotRequired[Annotated[list[NodeId], Field("Leave these out", max_items=64)]]
    avoid_labels: NotRequired[Annotated[list[NodeId], Field("And these", max_items=64)]]


class Avoid(TypedDict):
    node_ids: NotRequired[Annotated[list[NodeId], Field("Leave these out", max_items=64)]]
    labels: NotRequired[Annotated[list[NodeId], Field("And these", max_items=64)]]


class DryRun(TypedDict):
    plan_id: str
    plan_label: str | None
    compiled_tree: Json | None
    waves: list[list[str]]
    nodes: list[Json]
    impacts: list[Json]
    value_guard: Json | None
    rewrite_preview: Json | None
    reroute_avoid: Json | None
    problems: list[str]


@operation(
    Effect.READ,
    capability="plans",
    callers=ANYONE,
    further=True,
    columns=("id", "label", "by", "after", "status"),
    examples=(
        "deedlog plan dry-run wf-1j9x2k3m4n5p6q7r",
        "deedlog plan dry-run release --workflow-id wf-1j9x2k3m4n5p6q7r",
    ),
)
def plan_dry_run(
    ctx: Context,
    *,
    plan_id: Annotated[str, Field("A workflow or a graph, or what to call it", min_length=1, max_length=200)],
    plan_label: Annotated[str | None, Field("Its label", max_length=200)] = None,
    workflow_id: Annotated[str | None, Field("A workflow's graph", max_length=80)] = None,
    graph_id: Annotated[str | None, Field("Or a stored graph", max_length=80)] = None,
    graph: Annotated[Json | None, Field("Or a graph, as plan_compile_bt or graph_get have it")] = None,
    tree: Annotated[Json | None, Field("Or a behaviour tree")] = None,
    nodes: Annotated[list[NodeImpacts] | None, Field("Impacts of nodes", max_items=128)] = None,
    impacts: Annotated[
        list[Json] | None, Field("value, impact (support|risk), severity, node_id", max_items=128)
    ] = None,
    threshold: Annotated[float | None, Field("Of the values' score", minimum=0, maximum=1)] = None,
    rewrite: Annotated[Rewrite | None, Field("Preview the graph rewritten")] = None,
    reroute_avoid: Annotated[Avoid | None, Field("And without these")] = None,
) -> DryRun:
    """Show what a plan would run, in which waves and by whom, and what the values say; starts nothing.

    Nodes that the values refuse are left out of the rewritten graph that it previews.
    """
    given = {"workflow_id": workflow_id, "graph_id": graph_id, "graph": graph, "tree": tree}
    if not any(given.values()) and graphs.is_there(ctx, plan_id):
        given["graph_id"] = plan_id
    plan = _plan(ctx, {name: value for name, value in given.items() if value}, bool(nodes or impacts))
    plan = dry_runs.with_nodes(plan, [dict(node) for node in nodes or []])
    own = checked_impacts(impacts, "impacts")
    guard = dry_runs.values_on(ctx, plan, own, threshold)
    avoid = _avoided(rewrite or {}, reroute_avoid or {}, guard)
    previewed = plan.graph and (rewrite is not None or any(avoid.values()))
    answer: DryRun = {
        "plan_id": plan_id,
        "plan_label": plan_label,
        "compiled_tree": plan.tree or None,
        "waves": plan.waves,
        "nodes": plan.rows,
        "impacts": [*own, *dry_runs.impacts_of(plan)],
        "value_guard": guard,
        "rewrite_preview": dry_runs.rewrite_preview(plan, avoid) if previewed else None,
        "reroute_avoid": avoid if any(avoid.values()) else None,
        "problems": dry_runs.problems_of(ctx, plan, judged=bool(own) or threshold is not None),
    }
    return _cut(answer)


def _cut(answer: DryRun) -> DryRun:
    """The answer as far as it fits; that something is left out is told."""
    if size(answer) <= MOST_CHARACTERS:
        return answer
    problems = [*answer["problems"], "it is too long for one answer: the tree is left out, and lists may be cut"]
    less: DryRun = {**answer, "compiled_tree": None, "problems": problems}
    return condensed(less)


def _plan(ctx: Context, given: Json, is_enough: bool) -> dry_runs.Plan:  # noqa: FBT001
    if len(given) > 1:
        raise Invalid(f"give one of {', '.join(given)}", data={"field": [*given][1]})
    if "tree" in given:
        return dry_runs.of_tree(given["tree"])
    if "graph" in given:
        return dry_runs.of_graph(ctx, given["graph"])
    if given:
        return dry_runs.of_stored(ctx, *given.values())
    if not is_enough:
        raise Invalid("graph: one of workflow_id, graph_id, graph, tree, nodes or impacts is needed")
    return dry_runs.Plan()


def _avoided(rewrite: Rewrite, avoid: Avoid, guard: Json | None) -> Json:
    """What somebody wants left out, and what the values refuse."""
    ids = [*rewrite.get("avoid_node_ids", []), *avoid.get("node_ids", []), *(guard or {}).get("refused_nodes", [])]
    labels = [*rewrite.get("avoid_labels", []), *avoid.get("labels", [])]
    return {"node_ids": [*dict.fromkeys(ids)], "labels": [*dict.fromkeys(labels)]}
