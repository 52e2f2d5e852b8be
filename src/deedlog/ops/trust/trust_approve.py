from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import PEOPLE
from deedlog.core.trust import APPROVED, SERVER, STORE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.trust_rows import Judged, named, row, told

PROJECT = "project"


@operation(
    Effect.DESTROY,
    callers=PEOPLE,
    capability="tracking",
    people=True,
    examples=("deedlog trust approve checks-1a2b3c4d5e6f",),
)
def trust_approve(
    ctx: Context,
    *,
    ids: Annotated[list[str], Field("The ids that `deedlog trust` shows", max_items=50)],
) -> Judged:
    """Approve what the repository brings: exactly the values with these ids, in this repository.

    Look at the values first. A value that changes later needs a new approval.
    """
    found = named(ctx, ids)
    first = [one for one in found if one.kind == STORE or one.name == PROJECT]
    ctx.trust.approve(first)  # they say which ledger records this
    approved = [one.replace(state=APPROVED) for one in found]
    answer: Judged = {"items": [row(one) for one in approved], "message": _message([one.kind for one in approved])}
    committed = ctx.commit(answer=answer, outside=told(approved, APPROVED))
    ctx.trust.approve([one for one in found if one not in first])  # no approval without its event
    return committed


def _message(kinds: list[str]) -> str:
    count = len(kinds)
    later = (
        "" if all(kind in (STORE, SERVER) for kind in kinds) else "; servers that run use some of it after a restart"
    )
    return f"approved {count} {'value' if count == 1 else 'values'}{later}"
