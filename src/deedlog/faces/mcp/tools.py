"""Operations as MCP tools."""

from __future__ import annotations

import re

from deedlog.core.errors import DeedlogError
from deedlog.core.gate.naming import BETWEEN
from deedlog.core.page import cursor, opened
from deedlog.core.words import did_you_mean
from deedlog.faces.mcp.mounted import refusal_of
from deedlog.faces.mcp.protocol import INVALID_PARAMS, MISSING_CAPABILITY, READABLE, Failure
from deedlog.faces.mcp.refusal import UNKNOWN_TOOL, refused
from deedlog.operation.tool import full, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App
    from deedlog.core.page import Key
    from deedlog.faces.mcp.request import Request
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

PAGE = 2_000  # many clients read the first page only, and fifty servers have a thousand tools
BOOT_SECONDS = 5.0  # that a list waits for the servers that are to be there from the start: many clients list once
WORD = re.compile("[a-z_]+")


def page_of(items: list[Json], name: str, request: Request) -> Json:
    """The part of a list that the request's cursor points to."""
    start, _ = place_in(request)
    more = start + PAGE < len(items)
    return {name: items[start : start + PAGE]} | ({"nextCursor": cursor((start + PAGE, ""))} if more else {})


def place_in(request: Request) -> Key:
    """Where in a list the request's cursor points to."""
    text = request.params.get("cursor")
    try:
        return opened(request.text("cursor")) or (0, "") if text is not None else (0, "")
    except DeedlogError as error:
        raise Failure(INVALID_PARAMS, error.message) from error


def tools_list(request: Request) -> Json:
    """The everyday tools in short, or all in full, as configured; then those of mounted servers, server by server."""
    app = request.dispatcher.app
    if booting := request.dispatcher.booting if request.waits else None:
        booting.join(BOOT_SECONDS)
    request.connection.lists_tools = True
    request.sent = request.dispatcher.listings.listing(request)
    tools = [op for op in app.operations() if op.is_tool]
    mounted = sorted((op for op in tools if op.server), key=lambda op: op.server)
    ours = [op for op in tools if not op.server]
    if app.settings["tools"] == "all":
        return page_of([full(op) for op in [*ours, *mounted]], "tools", request)
    return page_of([short(op) for op in [*ours, *mounted] if not op.further], "tools", request)


def tool_named(app: App, name: str) -> Operation:
    """The tool, or a JSON-RPC error: a client that calls what was never listed is wrong, not the call.

    The document's own word for it is in the error's data.
    """
    op = app.catalog[name] if name in app.catalog else None  # noqa: SIM401  # it has no `get`
    if op and op.is_tool:
        return op
    listed = [other.name for other in app.operations() if other.is_tool]
    hint = did_you_mean(name[:80], listed, "tools/list names them")
    if op and op.people:
        hint = f"it is for people: `deedlog {op.words}` on the command line, POST {op.path} over HTTP"
    if not op and BETWEEN in name:
        hint = f"if its server is not mounted: mcp_activate, or mcp_call; {hint}"
    data = {"error": True, "code": UNKNOWN_TOOL, "name": name[:80], "hint": hint}
    raise Failure(INVALID_PARAMS, f"Unknown tool: {name[:80]!r}", data)


def within_reach(app: App, hint: str) -> str:
    """A hint in which what is no tool is spelt as the command it is."""
    commands = {op.name: f"`deedlog {op.words}`" for op in app.catalog if op.people and op.name in hint}
    return WORD.sub(lambda found: commands.get(found[0], found[0]), hint) if commands else hint


def tools_call(request: Request) -> Json:
    app = request.dispatcher.app
    op = tool_named(app, request.text("name"))
    arguments = request.mapping("arguments")
    try:
        op, arguments = app.meant(op.name, arguments)
    except DeedlogError as error:
        return _refused(request, str(error.data.get("capability", op.capability)), op, error)
    try:
        answer = request.call(op, arguments)
    except DeedlogError as error:
        return _refused(request, op.capability, op, error)
    if op.passes:
        return dict(answer)
    content = [{"type": "text", "text": READABLE.encode(answer)}, *_noted(request)]
    return {"content": content, "structuredContent": answer}


def _noted(request: Request) -> list[Json]:
    """What Deedlog ignores of the repository, once for each connection."""
    note = request.dispatcher.note
    if not note or request.connection.noted:
        return []
    request.connection.noted = True
    return [{"type": "text", "text": note}]


def _refused(request: Request, capability: str, op: Operation, error: DeedlogError) -> Json:
    if op.server and (failure := refusal_of(error)):
        raise failure from error
    error.hint = within_reach(request.dispatcher.app, error.hint)
    if request.modern and "required_capabilities" in error.data:
        data = {"requiredCapabilities": error.data["required_capabilities"]}
        raise Failure(MISSING_CAPABILITY, error.message, data) from error
    return refused(capability, error, camel_case=op.camel)
