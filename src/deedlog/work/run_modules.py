"""What modules that are on now do for a run, whoever drives it later."""

from __future__ import annotations

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

GUARD, MARKS, SCALING, STALLS = "value-guard", "stigmergy", "autoscaler", "supervisor"


def refuse_without(ctx: Context, capability: str, **given: object) -> None:
    """Refuse an input that would be kept and never looked at, because the module that reads it is off."""
    field = next((name for name, value in given.items() if value is not None), "")
    if field and not ctx.capabilities.on(capability):
        raise Invalid(
            f"{field}: needs the capability {capability!r}",
            hint=f"`capability_set {capability}` switches it on; or leave {field} out",
            data={"field": field, "capability": capability},
        )


def modules_now(ctx: Context, stall_ms: int | None = None) -> dict[str, Any]:
    on = ctx.capabilities.on
    found: dict[str, Any] = {"values": on(GUARD), "marks": on(MARKS), "autoscale": on(SCALING)}
    return found | ({"stall_ms": stall_ms or ctx.settings["stall_ms"]} if on(STALLS) else {})
