"""What modules that are on now do for a run, whoever drives it later."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

GUARD, MARKS, SCALING, STALLS = "value-guard", "stigmergy", "autoscaler", "supervisor"


def modules_now(ctx: Context, stall_ms: int | None = None) -> dict[str, Any]:
    on = ctx.capabilities.on
    found: dict[str, Any] = {"values": on(GUARD), "marks": on(MARKS), "autoscale": on(SCALING)}
    return found | ({"stall_ms": stall_ms or ctx.settings["stall_ms"]} if on(STALLS) else {})
