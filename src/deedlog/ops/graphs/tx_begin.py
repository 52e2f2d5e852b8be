from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.graph import Tx
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.graph_rows import DAY_MS, Expected, GraphId, Note, Owner, told
from deedlog.work.locks import refuse_held
from deedlog.work.lookup import repeated
from deedlog.work.transactions import base_of, checked, swept

Json = dict[str, Any]


class Begun(TypedDict):
    op_id: str
    tx_id: str
    graph_id: str
    base_version: int
    started_at: int
    owner: Any
    note: Any
    expires_at: Any
    graph: Json
    graph_cut: NotRequired[bool]
    client_op_id: NotRequired[str]


@operation(
    Effect.WRITE,
    capability="tx",
    callers=ANYONE,
    examples=("deedlog tx begin release --owner planner --ttl-ms 60000",),
)
def tx_begin(
    ctx: Context,
    *,
    graph_id: GraphId,
    expected_version: Expected = None,
    owner: Owner = "",
    note: Note = "",
    ttl_ms: Annotated[int | None, Field("Rolled back if not ended by then", minimum=1, maximum=DAY_MS)] = None,
    graph: Annotated[Json | None, Field("Work on this: {name, nodes, edges, metadata}; makes a graph if new")] = None,
    op_id: Annotated[str, Field("Your name for this call: client_op_id", max_length=120, rare=True)] = "",
) -> Begun:
    """Begin to change a graph apart from it; tx_commit makes that its next version, tx_rollback drops it."""
    tx_id = ctx.new_id("tx")

    def attempt() -> Begun:
        refuse_held(ctx.ledger, graph_id, owner or ctx.actor, ctx.now)
        base, work = base_of(ctx, graph_id, graph, expected_version)
        here = {node["id"] for node in work["nodes"]}
        tx = Tx(
            id=tx_id,
            graph_id=graph_id,
            base_version=base["graphVersion"],
            base_graph=base,
            graph=work,
            origins={node["id"]: node["id"] for node in base["nodes"] if node["id"] in here},
            owner=owner,
            note=note,
            created_at=ctx.now,
            expires_at=ctx.now + ttl_ms * 1_000 if ttl_ms else 0,
        )
        checked(ctx, tx, work)
        answer: Begun = {
            "op_id": ctx.op_id,
            "tx_id": tx.id,
            "graph_id": graph_id,
            "base_version": tx.base_version,
            "started_at": millis(tx.created_at),
            "owner": owner or None,
            "note": note or None,
            "expires_at": millis(tx.expires_at) if tx.expires_at else None,
            **told(work),  # type: ignore[typeddict-item]
        }
        if op_id:
            answer["client_op_id"] = op_id  # ours names it in the log and cancels it
        return ctx.commit(tx, *swept(ctx), answer=answer)

    return repeated(attempt)
