from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.capability import summary_of
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context


class Namespace(TypedDict):
    name: str
    description: str


class Limits(TypedDict):
    maxEventHistory: int


class Offered(TypedDict):
    namespaces: list[Namespace]
    schemas: dict[str, dict[str, str]]
    limits: Limits


@operation(
    Effect.READ,
    capability="mcp-introspection",
    callers=ANYONE,
    columns=("name", "description"),
    examples=("deedlog mcp capabilities",),
)
def mcp_capabilities(ctx: Context) -> Offered:
    """The namespaces that are on, one for each capability, and what each is for."""
    found = {name: summary for name in sorted(ctx.capabilities.now()) if (summary := summary_of(name))}
    return {
        "namespaces": [{"name": name, "description": summary} for name, summary in found.items()],
        "schemas": {name: {"namespace": name, "summary": summary} for name, summary in found.items()},
        "limits": {"maxEventHistory": ctx.settings["max_event_history"]},
    }
