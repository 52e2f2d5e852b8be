from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.core.graph import Lock
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Gone
from deedlog.work.locks import held, is_over, refuse_others
from deedlog.work.lookup import repeated


class Unlocked(TypedDict):
    op_id: str
    lock_id: str
    graph_id: str
    holder: str
    released_at: int
    expired: bool
    expires_at: Any


@operation(Effect.WRITE, capability="locks", callers=ANYONE, examples=("deedlog graph unlock lock-1j9x2k3m4n5p6q7r",))
def graph_unlock(
    ctx: Context,
    *,
    lock_id: Annotated[str, Field("From graph_lock, or the graph's id if you hold it", min_length=1, max_length=80)],
) -> Unlocked:
    """Release a graph; `expired` tells that it was free already."""

    def attempt() -> Unlocked:
        found = ctx.ledger.find(Lock, {"lock_id": lock_id}, limit=1)
        if not found and (own := held(ctx.ledger, lock_id, ctx.now)):
            refuse_others(own, ctx.actor, ctx.now)
            found = [own]
        if not found:
            raise NotFound(
                f"there is no lock {lock_id[:60]!r}",
                hint="it was released, or somebody took the graph after it expired",
                data={"lock_id": lock_id[:80]},
            )
        lock = found[0]
        answer: Unlocked = {
            "op_id": ctx.op_id,
            "lock_id": lock.lock_id,
            "graph_id": lock.id,
            "holder": lock.holder,
            "released_at": millis(ctx.now),
            "expired": is_over(lock, ctx.now),
            "expires_at": millis(lock.expires_at) if lock.expires_at else None,
        }
        return ctx.commit(Gone(entity=lock), answer=answer)

    return repeated(attempt)
