from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.graph import Tx
from deedlog.core.graphs.mutate import Mutated, mutated
from deedlog.core.graphs.patch import difference, summary
from deedlog.core.graphs.shape import is_same
from deedlog.core.page import size
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.graph_change import subgraph
from deedlog.work.graph_rows import Applied, Invariants, Operations, TxId, told
from deedlog.work.locks import refuse_held
from deedlog.work.lookup import repeated
from deedlog.work.transactions import INVALID_OP, checked, pending

Json = dict[str, Any]
MOST_DIFF = MOST_GRAPH = 14_000  # characters of each


class Preview(TypedDict):
    op_id: str
    tx_id: str
    graph_id: str
    base_version: int
    preview_version: int
    changed: bool
    applied: list[Applied]
    diff: list[Json]
    diff_cut: bool
    diff_summary: Json
    invariants: Invariants
    graph: Json
    graph_cut: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="tx",
    callers=ANYONE,
    examples=("""deedlog tx apply tx-1j9x2k3m4n5p6q7r '[{"op": "remove_node", "id": "lint"}]'""",),
)
def tx_apply(ctx: Context, *, tx_id: TxId, operations: Operations) -> Preview:
    """Apply operations inside a transaction, all or none, and show what the graph would become.

    Nobody else sees it before tx_commit.
    """

    def attempt() -> Preview:
        tx = pending(ctx, tx_id)
        refuse_held(ctx.ledger, tx.graph_id, tx.owner or ctx.actor, ctx.now)
        found = _mutated(ctx, tx, operations)
        invariants = checked(ctx, tx, found.graph)
        changed = not is_same(tx.base_graph, found.graph)
        diff = difference(tx.base_graph, found.graph)
        fits = size(diff) <= MOST_DIFF
        answer: Preview = {
            "op_id": ctx.op_id,
            "tx_id": tx.id,
            "graph_id": tx.graph_id,
            "base_version": tx.base_version,
            "preview_version": tx.base_version + changed,
            "changed": changed,
            "applied": found.applied,  # type: ignore[typeddict-item]
            "diff": diff if fits else [],
            "diff_summary": summary(tx.base_graph, found.graph),
            "diff_cut": not fits,
            "invariants": invariants,  # type: ignore[typeddict-item]
            **told(found.graph, MOST_GRAPH),
        }
        count = tx.applied + len(operations)
        return ctx.commit(tx.replace(graph=found.graph, origins=found.origins, applied=count), answer=answer)

    return repeated(attempt)


def _mutated(ctx: Context, tx: Tx, operations: list[Json]) -> Mutated:
    try:
        return mutated(tx.graph, operations, tx.origins, lambda ref: subgraph(ctx, ref))
    except Invalid as refusal:
        refusal.data["code"] = INVALID_OP
        raise
