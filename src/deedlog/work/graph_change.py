"""What turns a stored graph into another one: values to commit, and what they rest on."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.graph import Graph
from deedlog.core.graphs.invariant import refuse_broken, report
from deedlog.core.graphs.shape import is_same, normalised
from deedlog.core.value import Value
from deedlog.ports import Seen
from deedlog.work import graphs
from deedlog.work.locks import refuse_held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Context, Gone
    from deedlog.work.graphs import Shown

    Json = dict[str, Any]


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


def planned(
    ctx: Context,
    graph_id: str,
    graph: Json,
    owner: str,
    *,
    base_version: int | None = None,
    renamed: Mapping[str, str] | None = None,
    enforce: bool = True,
) -> Plan:
    """How the stored graph becomes `graph`, in which `renamed` nodes (old name to new one) stay who they are."""
    seq = ctx.ledger.head()
    shown = graphs.read(ctx, graph_id)
    refuse_moved(shown, base_version)
    refuse_held(ctx.ledger, graph_id, owner, ctx.now)
    wanted = normalised(graph, graph_id, shown.version)
    check = refuse_broken if enforce else report
    found = check(wanted, acyclic=shown.is_workflow)
    plan = Plan(
        base_version=shown.version,
        version=shown.version,
        committed_at=shown.committed_at,
        graph=shown.graph,
        values=[],
        seen=Seen(subject=graphs.uri(graph_id), seq=seq),
        invariants=found,
    )
    if is_same(wanted, shown.graph):
        return plan
    return _of_tasks(ctx, plan, wanted, renamed or {}) if shown.is_workflow else _of_free(ctx, plan, wanted)


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
    parts = {part: wanted[part] for part in ("name", "nodes", "edges", "metadata")}
    return _next(ctx, plan, wanted, [before.replace(**parts)])


def _of_tasks(ctx: Context, plan: Plan, wanted: Json, renamed: Mapping[str, str]) -> Plan:
    from deedlog.work.graph_tasks import TaskChange  # free-standing graphs have no tasks

    change = TaskChange(ctx, wanted, renamed)
    values = change.values()
    if not values:
        return plan
    seen = plan.seen.replace(more=[*plan.seen.more, *change.rests_on])
    return _next(ctx, plan.replace(seen=seen), change.graph(), values)


def _next(ctx: Context, plan: Plan, graph: Json, values: list[Entity | Gone]) -> Plan:
    version = plan.version + 1
    shown = {**graph, "graphVersion": version}
    return plan.replace(version=version, committed_at=ctx.now, graph=shown, values=values)
