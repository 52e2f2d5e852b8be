"""Finding the tool of another server that a call names, whether or not the client's list has it."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError, NotFound
from deedlog.core.gate.naming import BETWEEN, server_id
from deedlog.core.gate.server import called
from deedlog.core.words import did_you_mean
from deedlog.work.letting import refuse_held
from deedlog.work.mounted_tools import CAPABILITY, operations, original_of
from deedlog.work.mounting import CLI, known_offer, mounted, ready, standing
from deedlog.work.pinning import is_outdated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.operation.define import Operation
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_NAMED = 10  # in a hint
SHOWN = ("title", "description", "inputSchema", "outputSchema", "annotations")


def tools_of(ctx: Context, server: str) -> list[Operation]:
    """The tools of a server that is active; refused where it is not. On the CLI it is mounted for this call."""
    found = [op for op in ctx.tools() if op.server and server in (op.server, server_id(op.server))]
    found = found or [op for op in ctx.tools() if op.server == called(server)]
    return found or _made_ready(ctx, server)


def every_tool(ctx: Context) -> list[Operation]:
    """All tools that are on, with those of every active server: on the CLI these are made ready only now."""
    if ctx.capabilities.on(CAPABILITY):
        try:
            _publish_known(ctx)
        except DeedlogError:
            pass  # outside of a project, or without its store, our own tools are known all the same
    return ctx.tools()


def _publish_known(ctx: Context) -> None:
    if ctx.gateway.principal != CLI:
        return
    offers = mounted(ctx)
    for name in offers.keys() - {op.server for op in ctx.tools()}:
        ctx.publish(name, operations(ctx.gateway.standing(name).server, offers[name], []))


def named_without_server(ctx: Context, name: str) -> None:
    """Refuse a name that only tools of other servers have: which of them is meant, the caller has to say."""
    tools = every_tool(ctx)
    if any(op.name == name for op in tools):
        return
    if found := [op for op in tools if op.server and original_of(op) == name]:
        hint = f"did you mean {' or '.join(op.name for op in found[:MOST_NAMED])}?"
        raise NotFound(f"there is no tool {name[:80]!r} of ours", hint=hint, data={"capability": CAPABILITY})


def _made_ready(ctx: Context, server: str) -> list[Operation]:
    try:
        active = ready(ctx, server)
    except DeedlogError as error:
        error.data.setdefault("capability", CAPABILITY)  # it is told as that one's refusals are
        raise
    if (offer := ctx.gateway.mounted().get(active.name)) is not None:  # else it was unmounted this very moment
        ctx.publish(active.name, operations(active, offer, []))
    return [op for op in ctx.tools() if op.server == active.name]


def tool_of(ctx: Context, server: str, name: str) -> Operation:
    """A tool of a server, by the server's own name for it or by ours."""
    tools = tools_of(ctx, server)
    found = _among(tools, name)
    if found is None and tools and is_outdated(ctx, tools[0].server):  # somebody may have accepted it meanwhile
        ctx.aside("mcp_refresh", {"server": tools[0].server})
        tools = tools_of(ctx, server)
        found = _among(tools, name)
    if found is None:
        refuse_held(ctx, tools[0].server if tools else called(server), name)
        hint = did_you_mean(name[:80], map(original_of, tools), f"mcp_tools lists those of {server[:80]}")
        raise NotFound(f"{server[:80]} has no tool {name[:80]!r}", hint=hint, data={"capability": CAPABILITY})
    return found


def _among(tools: list[Operation], name: str) -> Operation | None:
    return next((op for op in tools if name in (original_of(op), op.name)), None)


def tool_named(ctx: Context, name: str) -> Operation | None:
    """The tool behind a mounted name such as `time__convert_time`; None where it is none of another server."""
    server, between, _ = name.partition(BETWEEN)
    return tool_of(ctx, server, name) if between and server else None


def known_tools(ctx: Context, server: str) -> tuple[bool, list[Json]]:
    """The tools of a server under its own names, and whether it is active; else those it had when it last was."""
    found = standing(ctx, server)
    try:
        return True, [_row(op) for op in tools_of(ctx, found.server.name)]
    except NotFound:
        raise
    except DeedlogError as inactive:
        from deedlog.core.gate.mount import Pin  # only for a server that does not run

        pin = ctx.ledger.find_one(Pin, found.server.name)
        offer = known_offer(ctx, found.server, pin)
        if pin is None or offer is None:
            raise inactive from None
    return False, [_row(op) for op in operations(found.server, offer, pin.withheld)]


def _row(op: Operation) -> Json:
    shown = {key: op.tool[key] for key in SHOWN if key in op.tool}
    return {"name": original_of(op), "mounted": op.name, "description": "", **shown}
