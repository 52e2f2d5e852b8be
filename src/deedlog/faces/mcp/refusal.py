"""How a refused tool call looks to the agent. Each family of tools has a shape of its own: one row, one function."""

from __future__ import annotations

from deedlog.core.errors import Part
from deedlog.faces.mcp.protocol import INTERNAL_ERROR, READABLE, Failure
from deedlog.operation.validate import CALLED, camel

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
INVALID_STATUS, SESSION_ALREADY_RUNNING, CONFIG_ERROR, VALIDATION_ERROR = -32004, -32005, -32006, -32007
GIT_ERROR, DATABASE_ERROR, NOT_FOUND = -32008, -32009, -32010
MISSING = {  # by what the refusal names
    "task_id": (-32001, "Task not found"),
    "agent_id": (-32002, "Agent not found"),
    "session_id": (-32003, "Session not found"),
}
NUMBERED_KINDS = {"invalid": VALIDATION_ERROR, "conflict": INVALID_STATUS, "denied": INVALID_STATUS}
NUMBERED_PARTS = {Part.CONFIGURATION: CONFIG_ERROR, Part.DATABASE: DATABASE_ERROR, Part.GIT: GIT_ERROR}
CLARIFY_CODES = {
    ("not_found", Part.CONFIGURATION): "REPO_NOT_FOUND",
    ("denied", Part.CONFIGURATION): "REPO_NOT_FOUND",
    ("unavailable", Part.DATABASE): "DATABASE_ERROR",
}
CLARIFY_KINDS = {
    "invalid": "VALIDATION_FAILED",
    "not_found": "NOT_FOUND",
    "conflict": "CONFLICT",
    "denied": "DENIED",
    "unavailable": "FILESYSTEM_ERROR",
    "unexpected": "INTERNAL_ERROR",
}
RECOVERY = {  # where the message already tells what to do
    "VALIDATION_FAILED": "correct the arguments and call again",
    "FILESYSTEM_ERROR": "check permissions and free space, then repeat the call",
    "INTERNAL_ERROR": "repeat the call; if it fails again, report it",
}
MOST_MESSAGE = 120
CODED = {
    "invalid": "-INVALID-INPUT",
    "not_found": "-NOTFOUND",
    "conflict": "-CONFLICT",
    "denied": "-DENIED",
    "unavailable": "-UNAVAILABLE",
    "unexpected": "-UNEXPECTED",
}
MODULES: dict[str, tuple[str, dict[str, str], str]] = {  # by capability: area, codes that differ, and when it is off
    "graphs": ("E-GRAPH", {}, "GRAPHS_DISABLED"),
    "plans": ("E-PLAN", {"not_found": "E-PLAN-NOT-FOUND", "conflict": "E-PLAN-STATE"}, "PLANS_DISABLED"),
    "mcp-introspection": ("E-MCP", {}, "MCP_INTROSPECTION_DISABLED"),
    "resources": ("E-RES", {"not_found": "E-RES-NOT_FOUND"}, "RESOURCES_DISABLED"),
    "events-bus": ("E-EVT", {"invalid": "E-EVT-INVALID"}, "EVENTS_BUS_DISABLED"),
    "cancellation": ("E-CANCEL", {}, "E-CANCEL-DISABLED"),
    "tx": ("E-TX", {}, "TRANSACTIONS_DISABLED"),
    "bulk": ("E-BULK", {}, "BULK_DISABLED"),
    "idempotency": ("E-IDEMPOTENCY", {}, "IDEMPOTENCY_DISABLED"),
    "locks": ("E-LOCK", {"conflict": "E-LOCK-HELD"}, "LOCKS_DISABLED"),
    "diff-patch": ("E-PATCH", {"invalid": "E-PATCH-INVALID"}, "DIFF_PATCH_DISABLED"),
    "plan-lifecycle": (
        "E-PLAN",
        {"not_found": "E-PLAN-NOT-FOUND", "conflict": "E-PLAN-STATE"},
        "E-PLAN-LIFECYCLE-DISABLED",
    ),
    "child-ops-fine": ("E-CHILD", {"conflict": "E-CHILD-STATE"}, "CHILD_OPS_FINE_DISABLED"),
    "values-explain": ("E-VALUES", {}, "VALUES_EXPLAIN_DISABLED"),
    "assist": ("E-ASSIST", {}, "ASSIST_DISABLED"),
    "bt": ("E-PLAN", {"not_found": "E-PLAN-NOT-FOUND", "conflict": "E-PLAN-STATE"}, "BT_DISABLED"),
    "reactive-scheduler": (
        "E-PLAN",
        {"not_found": "E-PLAN-NOT-FOUND", "conflict": "E-PLAN-STATE"},
        "REACTIVE_SCHEDULER_DISABLED",
    ),
    "blackboard": ("E-BB", {}, "BLACKBOARD_DISABLED"),
    "stigmergy": ("E-STIG", {}, "STIGMERGY_DISABLED"),
    "cnp": ("E-CNP", {}, "CNP_DISABLED"),
    "consensus": ("E-CONSENSUS", {}, "CONSENSUS_DISABLED"),
    "autoscaler": ("E-AUTOSCALER", {}, "AUTOSCALER_DISABLED"),
    "supervisor": ("E-SUPERVISOR", {}, "SUPERVISOR_DISABLED"),
    "knowledge": ("E-KG", {}, "KNOWLEDGE_DISABLED"),
    "causal-memory": ("E-CAUSAL", {}, "CAUSAL_MEMORY_DISABLED"),
    "value-guard": ("E-VALUES", {}, "VALUE_GUARD_DISABLED"),
}
AGAIN = "read the message, then call again"
IDS, NUMBERED = ("task_id", "session_id"), ("task", "session")
RUNNING = "running_session_id"  # named by the refusal of a session that another one is in the way of


def code_of(error: DeedlogError) -> str:
    if error.kind == "denied":
        return KIND_CODES["denied"]
    return PART_CODES.get(error.part) or KIND_CODES.get(error.kind, "INTERNAL_ERROR")


def plain(error: DeedlogError) -> Json:
    """The refusal as a tool result. Without structuredContent: clients hold that against the output schema."""
    said = {"error": True, "code": code_of(error), "message": error.message, "kind": error.kind, "hint": error.hint}
    body = said | {name: value for name, value in error.data.items() if name not in said}
    return {"content": [{"type": "text", "text": READABLE.encode(body)}], "isError": True}


def worded(error: DeedlogError) -> Json:
    """The refusal as a tool result that is one text, as agents read it; programs find the rest beside it."""
    text = f"{error.message}\n{error.hint}" if error.hint else error.message
    told = {"code": code_of(error), "kind": error.kind, **error.data}
    return {"content": [{"type": "text", "text": text}], "isError": True, "_meta": {"deedlog/error": told}}


def numbered(error: DeedlogError) -> Json:
    """The refusal as a JSON-RPC error with a number of its own."""
    code, message = numbered_code(error)
    data = {camel(name): _number(name, value) for name, value in error.data.items()}
    data |= {"detail": error.message} if message else {}
    raise Failure(code, message or error.message, data | {"kind": error.kind, "hint": error.hint})


def _number(name: str, value: object) -> object:
    """What a number names as that number: this family knows a task as 5, not as `task-5`."""
    found = CALLED.fullmatch(value) if isinstance(value, str) and name.endswith(IDS) else None
    return int(found[2]) if found and found[1] in (None, *NUMBERED) else value


def numbered_code(error: DeedlogError) -> tuple[int, str]:
    """The number of a refusal, and its message where that is fixed."""
    if error.kind == "not_found" and error.part is Part.REQUEST:
        named = next((name for name in MISSING if name in error.data), "")
        return MISSING.get(named, (NOT_FOUND, ""))
    if RUNNING in error.data:
        return SESSION_ALREADY_RUNNING, ""
    return NUMBERED_PARTS.get(error.part) or NUMBERED_KINDS.get(error.kind, INTERNAL_ERROR), ""


def enveloped(error: DeedlogError) -> Json:
    """The refusal in an envelope, with a code that its data may name."""
    details = {name: value for name, value in error.data.items() if name != "code"}
    code = str(error.data.get("code") or _enveloped_code(error))
    hint = error.hint or RECOVERY.get(code, AGAIN)
    said = {"code": code, "message": error.message, "details": details, "recovery_hint": hint}
    body = {"status": "error", "error": said}
    return {"content": [{"type": "text", "text": READABLE.encode(body)}], "isError": True}


def _enveloped_code(error: DeedlogError) -> str:
    if error.kind == "denied" and "capability" in error.data:
        return CLARIFY_KINDS["denied"]  # it is switched off, which says nothing about the repository
    return CLARIFY_CODES.get((error.kind, error.part)) or CLARIFY_KINDS[error.kind]


def coded(capability: str) -> Callable[[DeedlogError], Json]:
    """Refusals of an orchestrator's module: its own codes, and a message of one short line."""

    def refusal(error: DeedlogError) -> Json:
        area, odd, _ = MODULES[capability]
        code = str(error.data.get("code") or _off(error) or odd.get(error.kind, area + CODED[error.kind]))
        data = {name: value for name, value in error.data.items() if name not in ("code", "message", "hint", "ok")}
        message = error.message if len(error.message) <= MOST_MESSAGE else error.message[: MOST_MESSAGE - 1] + "…"
        body = {"ok": False, "code": code, "message": message}
        body |= {name: part for name, part in (("hint", error.hint), ("details", data)) if part}
        return {"content": [{"type": "text", "text": READABLE.encode(body)}], "isError": True}

    return refusal


def _off(error: DeedlogError) -> str:
    """The code that says which capability is off; it need not be that of the tool."""
    found = MODULES.get(str(error.data.get("capability"))) if error.kind == "denied" else None
    return found[2] if found else ""


FAMILIES: dict[str, Callable[[DeedlogError], Json]] = {
    "tracking": plain,
    "ledger": plain,
    "tasks": numbered,
    "authoring": numbered,
    "supervision": numbered,
    "clarify": enveloped,
    "gateway": worded,
    **{capability: coded(capability) for capability in MODULES},
}


def refused(capability: str, error: DeedlogError, *, camel_case: bool = False) -> Json:
    """The tool result that says so, where the family of the tool has one. A plug-in's family is told by its style."""
    return FAMILIES.get(capability, numbered if camel_case else plain)(error)
