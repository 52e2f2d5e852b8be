from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.graphs.patch import patched
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.graph_change import based, planned
from deedlog.work.graph_rows import GraphId, Invariants, Note, Owner, told
from deedlog.work.lookup import repeated

Json = dict[str, Any]


class Patched(TypedDict):
    op_id: str
    graph_id: str
    base_version: int
    committed_version: int
    committed_at: int
    changed: bool
    operations_applied: int
    invariants: Invariants
    owner: Any
    note: Any
    graph: Json
    graph_cut: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="diff-patch",
    callers=ANYONE,
    only_changes=True,
    examples=("""deedlog graph patch release '[{"op": "remove", "path": "/metadata/owner"}]'""",),
)
def graph_patch(
    ctx: Context,
    *,
    graph_id: GraphId,
    patch: Annotated[list[Json], Field("RFC 6902: add, remove, replace, move, copy, test", max_items=1_000)],
    base_version: Annotated[int | None, Field("Only if the graph is at this version", minimum=1)] = None,
    enforce_invariants: Annotated[bool, Field("Keep the rules of its metadata")] = True,
    owner: Owner = "",
    note: Note = "",
) -> Patched:
    """Change a graph by a JSON Patch on {name, nodes, edges, metadata}, all or nothing."""
    acts_for = owner or ctx.actor

    def attempt() -> Patched:
        base = based(ctx, graph_id, base_version)
        graph, origins = patched(base.shown.graph, patch)
        plan = planned(ctx, base, graph, acts_for, origins=origins, enforce=enforce_invariants)
        answer: Patched = {
            "op_id": ctx.op_id,
            "graph_id": graph_id,
            "base_version": plan.base_version,
            "committed_version": plan.version,
            "committed_at": millis(plan.committed_at),
            "changed": plan.is_change,
            "operations_applied": len(patch),
            "invariants": plan.invariants,  # type: ignore[typeddict-item]
            "owner": owner or None,
            "note": note or None,
            **told(plan.graph),
        }
        return ctx.commit(*plan.values, answer=answer, seen=plan.seen, owner=acts_for) if plan.is_change else answer

    return repeated(attempt)
