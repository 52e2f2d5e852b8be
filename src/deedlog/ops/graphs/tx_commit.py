from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.graph import COMMITTED
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.graph_rows import TxId, told
from deedlog.work.lookup import repeated
from deedlog.work.transactions import ending, pending

Json = dict[str, Any]


class Committed(TypedDict):
    op_id: str
    tx_id: str
    graph_id: str
    version: int
    committed_at: int
    changed: bool
    graph: Json
    graph_cut: NotRequired[bool]


@operation(Effect.WRITE, capability="tx", callers=ANYONE, examples=("deedlog tx commit tx-1j9x2k3m4n5p6q7r",))
def tx_commit(ctx: Context, *, tx_id: TxId) -> Committed:
    """Make what a transaction prepared the graph's next version; refused if the graph moved on meanwhile."""

    def attempt() -> Committed:
        tx = pending(ctx, tx_id)
        plan = ending(ctx, tx)
        done = tx.replace(state=COMMITTED, graph=plan.graph, ended_at=ctx.now, final_version=plan.version)
        answer: Committed = {
            "op_id": ctx.op_id,
            "tx_id": tx.id,
            "graph_id": tx.graph_id,
            "version": plan.version,
            "committed_at": millis(plan.committed_at),
            "changed": plan.is_change,
            **told(plan.graph),
        }
        return ctx.commit(*plan.values, done, answer=answer, seen=plan.seen, owner=tx.owner)

    return repeated(attempt)
