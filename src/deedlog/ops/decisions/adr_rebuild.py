from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.records.values import STATE_FILE
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context


class Rebuilt(TypedDict):
    path: str
    rebuilt: bool


@operation(
    Effect.WRITE,
    capability="clarify",
    callers=ANYONE,
    people=True,
    only_changes=True,
    waits=True,
    examples=("deedlog adr rebuild",),
)
def adr_rebuild(ctx: Context) -> Rebuilt:
    """Write docs/ARCHITECTURE_STATE.md anew from all ADRs, as after a merge; says whether it had to be."""
    return {"path": STATE_FILE, "rebuilt": ctx.records.rebuild()}
