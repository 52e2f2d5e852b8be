"""How a refused tool call looks to the agent. Each family of tools has a shape of its own: one row, one function."""

from __future__ import annotations

from deedlog.core.errors import Part
from deedlog.faces.mcp.protocol import READABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.core.errors import DeedlogError

    Json = dict[str, Any]

UNKNOWN_TOOL = "UNKNOWN_TOOL"
KIND_CODES = {
    "invalid": "VALIDATION_ERROR",
    "not_found": "NOT_FOUND",
    "conflict": "CONFLICT",
    "denied": "DENIED",
    "unavailable": "UNAVAILABLE",
}
PART_CODES = {
    Part.CONFIGURATION: "CONFIGURATION_ERROR",
    Part.DATABASE: "DATABASE_ERROR",
    Part.GIT: "GIT_ERROR",
}


def code_of(error: DeedlogError) -> str:
    if error.kind == "denied":
        return KIND_CODES["denied"]
    return PART_CODES.get(error.part) or KIND_CODES.get(error.kind, "INTERNAL_ERROR")


def plain(error: DeedlogError) -> Json:
    said = {"error": True, "code": code_of(error), "message": error.message, "kind": error.kind, "hint": error.hint}
    return said | {name: value for name, value in error.data.items() if name not in said}


FAMILIES: dict[str, Callable[[DeedlogError], Json]] = {"tracking": plain, "ledger": plain}


def refused(capability: str, error: DeedlogError) -> Json:
    """The tool result that says so. Without structuredContent: clients hold that against the output schema."""
    body = FAMILIES.get(capability, plain)(error)
    return {"content": [{"type": "text", "text": READABLE.encode(body)}], "isError": True}
