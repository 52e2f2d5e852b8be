"""What turns a stored graph into another one: values to commit, and what they rest on."""

from __future__ import annotations

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.graph import Graph
from deedlog.core.graphs.invariant import refuse_broken
from deedlog.core.graphs.mutate import Mutated, mutated
from deedlog.core.graphs.shape import GRAPH_PARTS, check_graph_id, is_same, normalised
from deedlog.core.value import Value
from deedlog.ports import Seen
from deedlog.work import graphs
from deedlog.work.locks import refuse_held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Context, Gone
    from deedlog.work.graphs import Shown

    Json = dict[str, Any]


class Base(Value):
    """A graph as it was read, and the last event there was by then: what is planned rests on it."""

    shown: Shown
    seq: int


class Plan(Value):
    """A change of a graph. `graph` is what will be read at `version`, committed at `committed_at`.

    Without `values` nothing changes: version and moment are those of the graph as it is.
    """

    base_version: int
    version: int
    committed_at: int
    graph: Json
    values: list[Entity | Gone]
    seen: Seen
    invariants: Json

    @property
    def is_change(self) -> bool:
        return bool(self.values)


def based(ctx: Context, graph_id: str, expected: int | None = None) -> Base:
    """The graph as it is; refused where a change was thought of for another version."""
    seq = ctx.ledger.head()
    shown = graphs.read(ctx, graph_id)
    refuse_moved(shown, expected)
    return Base(shown=shown, seq=seq)


def planned(
    ctx: Context,
    base: Base,
    graph: Json,
    owner: str,
    *,
    origins: Mapping[str, str] | None = None,
    enforce: bool = True,
) -> Plan:
    """How the stored graph becomes `graph`, in which nodes stay who they were by their names, or by `origins`."""
    shown = base.shown
    graph_id = shown.graph["graphId"]
    refuse_held(ctx.ledger, graph_id, owner, ctx.now)
    wanted = normalised(graph, graph_id, shown.version)
    found = refuse_broken(wanted, acyclic=shown.is_workflow, enforce=enforce)
    plan = Plan(
        base_version=shown.version,
        version=shown.version,
        committed_at=shown.committed_at,
        graph=shown.graph,
        values=[],
        seen=Seen(subject=graphs.uri(graph_id), seq=base.seq),
        invariants=found,
    )
    if is_same(wanted, shown.graph):
        return plan
    return _of_tasks(ctx, plan, wanted, origins) if shown.is_workflow else _of_free(ctx, plan, wanted)


def founded(ctx: Context, graph_id: str, graph: Json, owner: str) -> Plan:
    """A free-standing graph that is new."""
    seq = ctx.ledger.head()
    check_graph_id(graph_id)
    if graph_id.startswith("wf-"):
        raise Invalid("graph_id: names of workflows begin with wf-", hint="choose another", data={"field": "graph_id"})
    if graphs.is_there(ctx, graph_id):
        hint = "graph_mutate, graph_patch or a transaction changes it"
        raise Conflict(f"there is a graph {graph_id[:60]!r} already", hint=hint, data={"graph_id": graph_id})
    refuse_held(ctx.ledger, graph_id, owner, ctx.now)
    version = ctx.ledger.changes(graphs.uri(graph_id)) + 1
    new = normalised(graph, graph_id, version)
    row = Graph(id=graph_id, created_at=ctx.now, **{part: new[part] for part in GRAPH_PARTS})
    return Plan(
        base_version=0,
        version=version,
        committed_at=ctx.now,
        graph=new,
        values=[row],
        seen=Seen(subject=graphs.uri(graph_id), seq=seq),
        invariants=refuse_broken(new),
    )


def mutation(
    ctx: Context, graph_id: str, operations: Sequence[Json], owner: str, expected: int | None
) -> tuple[Plan, Mutated]:
    """What turns a stored graph into what it is after these operations."""
    base = based(ctx, graph_id, expected)
    found = mutated(base.shown.graph, operations, subgraph=lambda ref: subgraph(ctx, ref))
    return planned(ctx, base, found.graph, owner, origins=found.origins), found


def subgraph(ctx: Context, ref: str) -> Json | None:
    """The graph that a node stands for."""
    return graphs.read(ctx, ref).graph if graphs.is_there(ctx, ref) else None


def refuse_moved(shown: Shown, expected: int | None) -> None:
    """Refuse a change that was thought of for another version."""
    if expected is not None and expected != shown.version:
        graph_id = shown.graph["graphId"]
        raise Conflict(
            f"graph {graph_id[:40]!r} is at version {shown.version}, not {expected}",
            hint="read it again (graph_get), then repeat the call with its version",
            data={"graph_id": graph_id, "version": shown.version, "expected_version": expected},
        )


def _of_free(ctx: Context, plan: Plan, wanted: Json) -> Plan:
    before = ctx.ledger.get(Graph, wanted["graphId"])
    parts = {part: wanted[part] for part in GRAPH_PARTS}
    return _next(ctx, plan, wanted, [before.replace(**parts)])


def _of_tasks(ctx: Context, plan: Plan, wanted: Json, origins: Mapping[str, str] | None) -> Plan:
    from deedlog.work.graph_tasks import TaskChange  # free-standing graphs have no tasks

    change = TaskChange(ctx, wanted, origins)
    values = change.values()
    if not values:
        return plan
    seen = plan.seen.replace(more=[*plan.seen.more, *change.rests_on])
    return _next(ctx, plan.replace(seen=seen), change.graph(), values)


def _next(ctx: Context, plan: Plan, graph: Json, values: list[Entity | Gone]) -> Plan:
    version = plan.version + 1
    shown = {**graph, "graphVersion": version}
    return plan.replace(version=version, committed_at=ctx.now, graph=shown, values=values)
