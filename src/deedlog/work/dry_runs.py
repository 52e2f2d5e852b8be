"""What a plan would do: what runs when and by whom, what the values say of it, and how it could be rewritten."""

from __future__ import annotations

import json

from deedlog.core.errors import Invalid
from deedlog.core.graphs.rewrite import INLINE, REROUTE, RULES
from deedlog.core.graphs.rewrite import rewritten as after_rule
from deedlog.core.graphs.shape import is_same
from deedlog.core.impacts import checked_impacts
from deedlog.core.queue import OVER
from deedlog.core.task import Task
from deedlog.core.trees.compiling import compiled, needs
from deedlog.core.trees.graphs import doer, levels, tree_of
from deedlog.core.trees.plain import finder, plain
from deedlog.core.trees.rehearsing import rehearsed
from deedlog.core.trees.shape import MOST_NODES, PARALLEL, checked
from deedlog.core.value import Value
from deedlog.core.valuing import explained
from deedlog.work import graphs
from deedlog.work.agents import every_agent
from deedlog.work.graph_nodes import names_of
from deedlog.work.leaves import TOOLS
from deedlog.work.lookup import every
from deedlog.work.preparing import DEFAULT_AGENT
from deedlog.work.values import judge, valued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.valuing import Decision
    from deedlog.ports import Context

    Json = dict[str, Any]

GUARD = "value-guard"


class Plan(Value):
    """What was given, in one form. `graph` is empty where only a tree or nodes were."""

    tree: Json = {}  # noqa: RUF012  # values are never changed in place
    graph: Json = {}  # noqa: RUF012
    waves: list[list[str]] = []  # noqa: RUF012
    rows: list[Json] = []  # noqa: RUF012
    found: Callable[[str], Json | None] | None = None


def of_stored(ctx: Context, graph_id: str) -> Plan:
    """Of a workflow each node also tells which task it is, and its status; what is over would not run again."""
    shown = graphs.read(ctx, graph_id)
    plan = of_graph(ctx, shown.graph)
    if not shown.is_workflow:
        return plan
    tasks = list(every(ctx.ledger, Task, {"workflow_id": graph_id}, oldest=True))
    names = names_of(tasks)
    known = {names[task.id]: task for task in tasks}
    rows = [
        {**row, "task_id": known[row["id"]].ref, "status": known[row["id"]].status, "impacts": known[row["id"]].impacts}
        for row in plan.rows
        if row["id"] in known
    ]
    left = [row for row in rows if row["status"] not in OVER]
    open_ = {row["id"] for row in left}
    waves = levels({row["id"]: [other for other in row["after"] if other in open_] for row in left})
    return plan.replace(rows=rows, waves=waves)


def of_graph(ctx: Context, given: Json) -> Plan:
    graph, inner = plain(given)
    found = finder(inner, lambda ref: _stored(ctx, ref))
    if not graph["nodes"]:
        return Plan(graph=graph, found=found)
    whole = after_rule(graph, INLINE, None, found)
    before: dict[str, list[str]] = {node["id"]: [] for node in whole["nodes"]}
    for edge in whole["edges"]:
        before[edge["from"]].append(edge["to"])
    rows = [_row(node, doer(node["attributes"], DEFAULT_AGENT), before[node["id"]]) for node in whole["nodes"]]
    waves = levels(before)
    if len(rows) > MOST_NODES:
        return Plan(graph=graph, waves=waves, rows=rows, found=found)  # it can be run, but it is no tree
    tree = tree_of({"id": graph["name"] or graph["graphId"], **whole}, None, DEFAULT_AGENT)
    return Plan(tree=checked(_side_by_side(tree, waves)), graph=graph, waves=waves, rows=rows, found=found)


def _side_by_side(tree: Json, waves: Sequence[Sequence[str]]) -> Json:
    """The tree of a sequence, with what would run at the same time as one step of it."""
    leaves = {leaf["id"]: leaf for leaf in tree["root"].get("children", [tree["root"]])}
    steps = [
        leaves[wave[0]]
        if len(wave) == 1
        else {"type": PARALLEL, "id": f"{tree['id']}:wave-{number}", "children": [leaves[name] for name in wave]}
        for number, wave in enumerate(waves, 1)
    ]
    root = steps[0] if len(steps) == 1 else {**tree["root"], "children": steps}
    return {**tree, "root": root}


def of_tree(given: Json) -> Plan:
    tree = checked(given)
    steps = compiled(tree).steps
    before = needs(steps)
    waves = [[name for name in wave if name in before] for wave in rehearsed(steps, lambda _: True).waves]
    rows: list[Json] = [
        {
            "id": step.name,
            "label": step.label or None,
            "by": step.tool,
            "after": before[step.name],
            "impacts": step.impacts,
        }
        for step in steps
        if step.leaf
    ]
    return Plan(tree=tree, waves=[wave for wave in waves if wave], rows=rows)


def of_nodes(given: Sequence[Json]) -> list[Json]:
    """Nodes that were given only with their impacts."""
    return [
        {
            "id": node["id"],
            "label": node.get("label"),
            "by": None,
            "after": [],
            "impacts": checked_impacts(node.get("value_impacts"), f"nodes[{place}].value_impacts"),
        }
        for place, node in enumerate(given)
    ]


def with_nodes(plan: Plan, nodes: Sequence[Json]) -> Plan:
    """The plan, where what was said of nodes adds to what it says itself."""
    added = {row["id"]: row for row in of_nodes(nodes)}
    rows = [
        {**row, "impacts": [*row["impacts"], *added[row["id"]]["impacts"]]} if row["id"] in added else row
        for row in plan.rows
    ]
    known = {row["id"] for row in plan.rows}
    return plan.replace(rows=[*rows, *(row for name, row in added.items() if name not in known)])


def _row(node: Json, tool: str, after: list[str]) -> Json:
    said = node["attributes"].get("impacts")
    try:
        impacts = checked_impacts(json.loads(said) if isinstance(said, str) else said, f"{node['id'][:60]}.impacts")
    except ValueError:
        raise Invalid(f"{node['id'][:60]!r}: its impacts are no JSON", data={"field": "graph"}) from None
    return {"id": node["id"], "label": node.get("label"), "by": tool, "after": after, "impacts": impacts}


def _stored(ctx: Context, graph_id: str) -> Json | None:
    return graphs.read(ctx, graph_id).graph if graphs.is_there(ctx, graph_id) else None


def problems_of(ctx: Context, plan: Plan, *, judged: bool = False) -> list[str]:
    """Who would be needed and is not there, and whether impacts that were given are not `judged`."""
    known = {*TOOLS, *(agent.name for agent in every_agent(ctx))}
    off = judged and not ctx.capabilities.on(GUARD)
    unjudged = [f"impacts are not judged: `capability_set {GUARD}` switches that on"] if off else []
    return unjudged + [
        f"{row['id']}: there is no agent {row['by']!r}" for row in plan.rows if row["by"] and row["by"] not in known
    ]


def values_on(ctx: Context, plan: Plan, impacts: Sequence[Json], threshold: float | None) -> Json | None:
    """What the project's values say of the plan as a whole and of each node; none where they are off or not set."""
    valueset = valued(ctx) if ctx.capabilities.on(GUARD) else None
    if valueset is None:
        return None
    decision: Decision | None = judge(ctx, [*impacts, *impacts_of(plan)], threshold)
    assert decision is not None
    refused = []
    for row in plan.rows:
        own = judge(ctx, row["impacts"], threshold) if row["impacts"] else None
        refused += [row["id"]] if own and not own.allowed else []
    return {
        "decision": decision.fields(),
        "violations": explained(valueset, decision, {row["id"]: row["label"] or row["id"] for row in plan.rows}),
        "refused_nodes": refused,
    }


def impacts_of(plan: Plan) -> list[Json]:
    return [{**impact, "nodeId": row["id"]} for row in plan.rows for impact in row["impacts"]]


def rewrite_preview(plan: Plan, avoid: Json) -> Json:
    """The graph after all rules, and which of them found something to do."""
    graph, applied = plan.graph, []
    params = {"reroute_avoid_node_ids": avoid["node_ids"], "reroute_avoid_labels": avoid["labels"]}
    for rule in RULES:
        after = after_rule(graph, rule, params if rule == REROUTE else None, plan.found)
        applied.append({"rule": rule, "changed": not is_same(after, graph)})
        graph = after
    return {"graph": graph, "applied": applied, "changed": any(row["changed"] for row in applied)}
