from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.graph import Lock
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work import graphs
from deedlog.work.graph_rows import DAY_MS, GraphId
from deedlog.work.locks import is_over, refuse_others
from deedlog.work.lookup import repeated


class Locked(TypedDict):
    op_id: str
    lock_id: str
    graph_id: str
    holder: str
    acquired_at: int
    refreshed_at: int
    expires_at: Any


@operation(
    Effect.WRITE,
    capability="locks",
    callers=ANYONE,
    examples=("deedlog graph lock release --holder planner --ttl-ms 60000",),
)
def graph_lock(
    ctx: Context,
    *,
    graph_id: GraphId,
    holder: Annotated[str, Field("Who holds it; your client if left out", max_length=120)] = "",
    ttl_ms: Annotated[int | None, Field("Free again after that", minimum=1, maximum=DAY_MS)] = None,
) -> Locked:
    """Hold a graph: until it is released or expires nobody else changes it, nor the shape of its tasks.

    Who holds it already refreshes that. Let in are calls that name the holder as `owner`, and those of a client of
    that name: all connections of one client share its name, so give a `holder` of your own to keep them out. Then
    change the graph by tools that take `owner`; the others, such as task_create, act as the client.
    """
    who = holder or ctx.actor
    lock_id = ctx.new_id("lock")

    def attempt() -> Locked:
        if not graphs.is_there(ctx, graph_id):
            raise graphs.missing(graph_id)
        before = ctx.ledger.find_one(Lock, graph_id)
        refuse_others(before, who, ctx.now)
        expires_at = ctx.now + ttl_ms * 1_000 if ttl_ms else 0
        lock = Lock(id=graph_id, lock_id=lock_id, holder=who, created_at=ctx.now, refreshed_at=ctx.now)
        if before:
            lock = before if not is_over(before, ctx.now) else lock.replace(version=before.version)
        lock = lock.replace(refreshed_at=ctx.now, expires_at=expires_at)
        answer: Locked = {
            "op_id": ctx.op_id,
            "lock_id": lock.lock_id,
            "graph_id": graph_id,
            "holder": who,
            "acquired_at": millis(lock.created_at),
            "refreshed_at": millis(lock.refreshed_at),
            "expires_at": millis(expires_at) if expires_at else None,
        }
        return ctx.commit(lock, answer=answer)

    return repeated(attempt)
