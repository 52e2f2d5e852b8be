from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.graph_change import mutation
from deedlog.work.graph_rows import Applied, Expected, GraphId, Invariants, Operations, Owner, told
from deedlog.work.lookup import repeated

Json = dict[str, Any]


class Changed(TypedDict):
    op_id: str
    graph_id: str
    base_version: int
    version: int
    committed_at: int
    changed: bool
    applied: list[Applied]
    invariants: Invariants
    graph: Json
    graph_cut: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="graphs",
    callers=ANYONE,
    further=True,
    only_changes=True,
    examples=("""deedlog graph mutate release '[{"op": "add_node", "node": {"id": "lint"}}]'""",),
)
def graph_mutate(
    ctx: Context,
    *,
    graph_id: GraphId,
    operations: Operations,
    expected_version: Expected = None,
    owner: Owner = "",
) -> Changed:
    """Change a graph by operations, all or none.

    In a workflow a node is a task, and an edge what it waits for.
    """
    acts_for = owner or ctx.actor

    def attempt() -> Changed:
        plan, found = mutation(ctx, graph_id, operations, acts_for, expected_version)
        answer: Changed = {
            "op_id": ctx.op_id,
            "graph_id": graph_id,
            "base_version": plan.base_version,
            "version": plan.version,
            "committed_at": millis(plan.committed_at),
            "changed": plan.is_change,
            "applied": found.applied,  # type: ignore[typeddict-item]
            "invariants": plan.invariants,  # type: ignore[typeddict-item]
            **told(plan.graph),
        }
        return ctx.commit(*plan.values, answer=answer, seen=plan.seen, owner=acts_for) if plan.is_change else answer

    return repeated(attempt)
