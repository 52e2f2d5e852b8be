from __future__ import annotations

from typing import NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.trust import APPROVED
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.trust_rows import Item, row


class Listed(TypedDict):
    items: list[Item]
    faults: list[str]
    hint: NotRequired[str]


@operation(
    Effect.READ,
    callers=ANYONE,
    capability="tracking",
    people=True,
    alias="trust",
    columns=("id", "state", "kind", "value", "source"),
    brief=True,
    whole="value",
    examples=("deedlog trust",),
)
def trust_list(ctx: Context) -> Listed:
    """List what the repository brings that runs programs or redirects data, and whether you approved it.

    Deedlog ignores everything that is waiting or changed. An approval is for exactly the value that is shown.
    """
    found = ctx.trust.brought(servers=True)
    answer: Listed = {"items": [row(one) for one in found], "faults": ctx.trust.faults()}
    if waiting := [one.id for one in found if one.state != APPROVED]:
        answer["hint"] = f"to approve: deedlog trust approve {' '.join(waiting)}"
    return answer
