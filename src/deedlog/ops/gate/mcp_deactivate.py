from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, Denied, NotFound
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.naming import mounted_names
from deedlog.core.gate.server import Server, Status, called
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.mounting import known_offer, over, rows_of, standing

REMOVED = "removed"  # it is not configured any more


class Deactivated(TypedDict):
    name: str
    status: str
    removed: list[str]


@operation(Effect.DESTROY, capability="gateway", callers=ANYONE, waits=True, examples=("deedlog mcp deactivate time",))
def mcp_deactivate(
    ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]
) -> Deactivated:
    """Unmount an MCP server that was activated: its tools go and its process ends."""
    server = _server(ctx, name)
    with ctx.gateway.alone(server.name, ctx.peer):
        if server.core:
            hint = f"people can switch it off: `mcp_disable {server.name}`"
            raise Denied(f"Cannot deactivate core server {server.name!r}", hint=hint)
        answer = repeated(lambda: _ended(ctx, server))
        ctx.gateway.unmount(server.name)
        ctx.publish(server.name, [])
        return answer


def _server(ctx: Context, name: str) -> Server:
    """The server that is meant; one that is mounted is known by its name, although it is no longer configured."""
    try:
        return ctx.gateway.standing(name).server
    except NotFound:
        if not rows_of(ctx, called(name)):
            raise
    return Server(name=called(name))


def _ended(ctx: Context, server: Server) -> Deactivated:
    """Recorded first: whoever is killed now has unmounted it all the same."""
    rows = rows_of(ctx, server.name)
    if any(row.boot for row in rows):
        hint = "people decide what is: the setting gateway_boot, `boot` in their servers.json"
        raise Denied(f"Cannot deactivate {server.name!r}: it was mounted at start", hint=hint)
    if not rows and standing(ctx, server.name).status is not Status.ACTIVE:
        raise Conflict(f"{server.name} is not active", hint="mcp_environment tells which are")
    offer = ctx.gateway.mounted().get(server.name) or known_offer(ctx, server, ctx.ledger.find_one(Pin, server.name))
    names = mounted_names(server.name, [tool["name"] for tool in offer.tools] if offer else [])
    left = ctx.gateway.configured(server.name)
    answer: Deactivated = {
        "name": server.name,
        "status": str(left.status) if left is not None else REMOVED,
        "removed": page.fitting(names.values()),
    }
    return ctx.commit(*(over(row, ctx.now) for row in rows), answer=answer)
