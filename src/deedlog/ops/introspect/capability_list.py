from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.capability import CAPABILITIES
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context


class Row(TypedDict):
    name: str
    on: bool
    summary: str
    held: str


class Listed(TypedDict):
    capabilities: list[Row]


@operation(
    Effect.READ,
    capability="mcp-introspection",
    callers=ANYONE,
    further=True,
    columns=("name", "on", "summary"),
    examples=("deedlog capability list",),
)
def capability_list(ctx: Context) -> Listed:
    """Every capability, whether it is on, and what keeps calls from switching it, if anything does."""
    on = ctx.capabilities.now()
    rows: list[Row] = [
        {"name": name, "on": name in on, "summary": one.summary, "held": ctx.capabilities.held(name)}
        for name, one in CAPABILITIES.items()
        if not one.inner
    ]
    return {"capabilities": rows}
