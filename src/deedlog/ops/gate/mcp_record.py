from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.errors import Invalid, Overtaken
from deedlog.core.gate.mount import Mount, Passage
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every, repeated
from deedlog.work.mounting import ACTIVE, over

MOST = 10_000
NEEDED = ("id", "server", "tool", "actor", "outcome")
FIELDS = frozenset((*Passage.defaults(), *NEEDED))


class Recorded(TypedDict):
    recorded: int
    ended: int


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, only_changes=True)
def mcp_record(
    ctx: Context,
    *,
    passages: Annotated[list[dict[str, Any]], Field("Calls of mounted servers that are over", max_items=MOST)],
    over: Annotated[
        list[str] | None, Field("Principals that are dead: what they mounted is over", max_items=MOST)
    ] = None,
) -> Recorded:
    """Record calls of mounted servers, each once however often it is told, and the end of dead mounts."""
    if any(name not in row for row in passages for name in NEEDED):
        raise Invalid(f"passages: each must have {', '.join(NEEDED)}", data={"field": "passages"})
    found = [Passage(**{name: value for name, value in row.items() if name in FIELDS}) for row in passages]
    try:
        return _recorded(ctx, found, over or [])
    except Overtaken:
        return repeated(lambda: _recorded(ctx, _new(ctx, found), over or []))


def _new(ctx: Context, found: list[Passage]) -> list[Passage]:
    """Those that are not recorded yet: who told of them before died before it knew that they are."""
    return [passage for passage in found if ctx.ledger.find_one(Passage, passage.id) is None]


def _recorded(ctx: Context, found: list[Passage], dead: list[str]) -> Recorded:
    rows = [row for name in dead for row in every(ctx.ledger, Mount, {"principal": name, "status": ACTIVE})]
    answer: Recorded = {"recorded": len(found), "ended": len(rows)}
    if not found and not rows:
        return answer
    return ctx.commit(*found, *(over(row, ctx.now) for row in rows), answer=answer)
