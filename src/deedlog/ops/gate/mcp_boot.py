from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from deedlog.core import page
from deedlog.core.caller import INTERNAL
from deedlog.core.errors import DeedlogError
from deedlog.core.gate.mount import Mount, Pin
from deedlog.core.gate.server import Server, Standing, Status, called
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Offer
from deedlog.work.lookup import repeated
from deedlog.work.mounted_tools import operations
from deedlog.work.mounting import known_offer, new_mount, rows_of, tokens_of
from deedlog.work.pinning import Agreed, agree


class Booted(TypedDict):
    mounted: list[str]
    left: list[str]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, only_changes=True)
def mcp_boot(
    ctx: Context,
    *,
    server: Annotated[str | None, Field("Only this one, which is started", max_length=200)] = None,
) -> Booted:
    """Mount the servers that are to be there from the start.

    Those whose tools are known are offered at once and started by the first call; the others are started now.
    """
    if server is not None:
        return _started(ctx, server)
    ready, others = [], []
    for found in _wanted(ctx):
        pin = ctx.ledger.find_one(Pin, found.server.name)
        offer = known_offer(ctx, found.server, pin)
        if offer is not None and pin is not None:
            ready.append((found.server, offer, pin))
        else:
            others.append(found.server.name)
    answer = _offered(ctx, ready, others)
    for name in ctx.gateway.start_all(others, ctx.peer):
        ctx.aside("mcp_boot", {"server": name})  # it runs: what is left is to agree, and to record
    return answer


def _wanted(ctx: Context) -> list[Standing]:
    """The servers that the user wants from the start and that can be mounted; a repository has no say in it."""
    named = set(map(called, ctx.settings["gateway_boot"]))
    return [
        found
        for found in ctx.gateway.standings()
        if found.status is Status.AVAILABLE
        and found.server.trusted
        and (found.server.name in named or _is_users(ctx, found.server))
    ]


def _is_users(ctx: Context, server: Server) -> bool:
    return server.boot and not server.source.startswith(f"{ctx.root}/")


def _offered(ctx: Context, ready: Sequence[tuple[Server, Offer, Pin]], others: list[str]) -> Booted:
    rows: list[Mount] = []
    for server, offer, pin in ready:
        try:
            with ctx.gateway.alone(server.name, ctx.peer):
                if ctx.gateway.offered(server.name) is None:
                    rows.append(_mounted(ctx, server, offer, pin.withheld))
        except DeedlogError:
            others.append(server.name)
    answer: Booted = {"mounted": [row.server for row in rows], "left": others}
    return ctx.commit(*rows, answer=answer) if rows else answer


def _mounted(ctx: Context, server: Server, offer: Offer, held: list[str]) -> Mount:
    ctx.gateway.mount(server.name, offer)
    ctx.gateway.restrict(server.name, held)
    offered = operations(server, offer, held)
    ctx.publish(server.name, offered)
    tokens = tokens_of(sum(page.size(op.tool) for op in offered))
    return new_mount(ctx, server, tools=len(offered), tokens=tokens, boot=True)


def _started(ctx: Context, name: str) -> Booted:
    answer: Booted = {"mounted": [name], "left": []}
    with ctx.gateway.alone(name, ctx.peer):
        if ctx.gateway.offered(name) is not None or rows_of(ctx, name):
            return answer
        server = ctx.gateway.standing(name).server
        offer = ctx.gateway.start(name, ctx.peer)
        try:
            agreed = agree(ctx, server, offer)
            mount = _mounted(ctx, server, offer, agreed.held)
            return repeated(lambda: _recorded(ctx, mount, agree(ctx, server, offer), answer))
        except BaseException:
            ctx.gateway.unmount(name)
            ctx.publish(name, [])
            raise


def _recorded(ctx: Context, mount: Mount, agreed: Agreed, answer: Booted) -> Booted:
    return ctx.commit(mount, *([agreed.pin] if agreed.is_news else []), answer=answer)
