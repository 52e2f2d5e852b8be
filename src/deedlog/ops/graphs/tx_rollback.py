from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.graph import ROLLED_BACK
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.graph_rows import TxId, told
from deedlog.work.lookup import repeated
from deedlog.work.transactions import begun, is_over, pending

Json = dict[str, Any]


class RolledBack(TypedDict):
    op_id: str
    tx_id: str
    graph_id: str
    version: int
    rolled_back_at: int
    snapshot: Json
    snapshot_cut: NotRequired[bool]


@operation(Effect.WRITE, capability="tx", callers=ANYONE, examples=("deedlog tx rollback tx-1j9x2k3m4n5p6q7r",))
def tx_rollback(ctx: Context, *, tx_id: TxId) -> RolledBack:
    """Drop what a transaction prepared; the graph stays as it was."""

    def attempt() -> RolledBack:
        tx = begun(ctx, tx_id)
        late = is_over(tx, ctx.now)
        if not late:
            pending(ctx, tx_id)
        shown = told(tx.base_graph)
        answer: RolledBack = {
            "op_id": ctx.op_id,
            "tx_id": tx.id,
            "graph_id": tx.graph_id,
            "version": tx.base_version,
            "rolled_back_at": millis(ctx.now),
            "snapshot": shown["graph"],
        }
        if shown.get("graph_cut"):
            answer["snapshot_cut"] = True
        return ctx.commit(tx.replace(state=ROLLED_BACK, ended_at=ctx.now, expired=late), answer=answer)

    return repeated(attempt)
