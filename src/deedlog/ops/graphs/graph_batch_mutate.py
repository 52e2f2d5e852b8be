from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.graphs.mutate import attempted
from deedlog.core.moment import millis
from deedlog.core.page import condensed
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.graph_change import based, planned, subgraph
from deedlog.work.graph_rows import Applied, Expected, GraphId, Note, Operations, Owner, told
from deedlog.work.lookup import repeated

Json = dict[str, Any]


class Batch(TypedDict):
    op_id: str
    graph_id: str
    base_version: int
    committed_version: int
    committed_at: int
    changed: bool
    operations_applied: int
    applied: list[Applied]
    owner: Any
    note: Any
    graph: Json
    graph_cut: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="bulk",
    callers=ANYONE,
    also="graphs",
    only_changes=True,
    examples=("""deedlog graph batch-mutate release '[{"op": "remove_node", "id": "lint"}]'""",),
)
def graph_batch_mutate(
    ctx: Context,
    *,
    graph_id: GraphId,
    operations: Operations,
    expected_version: Expected = None,
    owner: Owner = "",
    note: Note = "",
) -> Batch:
    """Change a graph by many operations at once, all or nothing; each that fails is named by its index."""
    acts_for = owner or ctx.actor

    def attempt() -> Batch:
        base = based(ctx, graph_id, expected_version)
        found = attempted(base.shown.graph, operations, subgraph=lambda ref: subgraph(ctx, ref))
        if found.failures:
            raise _partial(found.failures, len(operations))
        plan = planned(ctx, base, found.graph, acts_for, origins=found.origins)
        answer: Batch = {
            "op_id": ctx.op_id,
            "graph_id": graph_id,
            "base_version": plan.base_version,
            "committed_version": plan.version,
            "committed_at": millis(plan.committed_at),
            "changed": plan.is_change,
            "operations_applied": len(operations),
            "applied": found.applied,  # type: ignore[typeddict-item]
            "owner": owner or None,
            "note": note or None,
            **told(plan.graph, 16_000),
        }
        return ctx.commit(*plan.values, answer=answer, seen=plan.seen, owner=acts_for) if plan.is_change else answer

    return repeated(attempt)


def _partial(failures: list[Json], count: int) -> Invalid:
    return Invalid(
        f"{len(failures)} of {count} operations cannot be done, so none was",
        hint="failures names each by its index; correct them, then send all again",
        data={"code": "E-BULK-PARTIAL", "failures": condensed(failures), "rolled_back": True},
    )
