from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import PEOPLE
from deedlog.core.trust import WAITING
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.trust_rows import Judged, named, row, told


@operation(
    Effect.DESTROY,
    callers=PEOPLE,
    capability="tracking",
    people=True,
    examples=("deedlog trust revoke checks-1a2b3c4d5e6f",),
)
def trust_revoke(
    ctx: Context,
    *,
    ids: Annotated[list[str], Field("The ids that `deedlog trust` shows", max_items=50)],
) -> Judged:
    """Revoke approvals: Deedlog ignores these values again, and all earlier values under the same names."""
    found = named(ctx, ids)
    revoked = [one.replace(state=WAITING) for one in found]
    answer: Judged = {"items": [row(one) for one in revoked], "message": f"revoked {len(revoked)}"}
    ctx.ledger.head()  # opened now: without the approval it may not be found again
    ctx.trust.revoke(found)
    return ctx.commit(answer=answer, outside=told(revoked, WAITING))
