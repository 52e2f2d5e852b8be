from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Offer
from deedlog.work.lookup import repeated
from deedlog.work.mounted_tools import operations
from deedlog.work.mounting import NOT_RUNNING, over, rows_of
from deedlog.work.pinning import agree


class Refreshed(TypedDict):
    server: str
    held: list[str]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, only_changes=True)
def mcp_refresh(ctx: Context, *, server: Annotated[str, Field("The server's name", max_length=200)]) -> Refreshed:
    """Offer anew what a mounted server offers, as far as it was agreed to.

    One that failed is not mounted any more, and that is recorded.
    """
    with ctx.gateway.alone(server, ctx.peer):
        offer = ctx.gateway.offered(server)
        if offer is None:
            return repeated(lambda: _gone(ctx, server))
        return repeated(lambda: _compared(ctx, server, offer))


def _gone(ctx: Context, server: str) -> Refreshed:
    ctx.publish(server, [])
    answer: Refreshed = {"server": server, "held": []}
    rows = rows_of(ctx, server)
    return ctx.commit(*(over(row, ctx.now) for row in rows), answer=answer) if rows else answer


def _compared(ctx: Context, name: str, offer: Offer) -> Refreshed:
    found = ctx.gateway.standing(name)
    agreed = agree(ctx, found.server, offer)
    state = found.reason if found.reason.startswith(NOT_RUNNING) else ""
    before = ctx.gateway.mounted().get(name)
    ctx.gateway.restrict(name, agreed.held)
    offered = operations(found.server, offer, agreed.held, state)
    is_same = [op.tool for op in offered] == [op.tool for op in ctx.tools() if op.server == name]
    if not is_same or ctx.gateway.mounted().get(name) != before:
        ctx.publish(name, offered)  # only then: clients list everything again
    answer: Refreshed = {"server": name, "held": agreed.held}
    return ctx.commit(agreed.pin, answer=answer) if agreed.is_news else answer
