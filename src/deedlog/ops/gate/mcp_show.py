from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.reference import keys_of
from deedlog.core.gate.secrecy import shown
from deedlog.core.gate.server import Server
from deedlog.core.gate.version import told as version
from deedlog.core.page import condensed
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.mounting import standing

LACKS, UNSET = "missing", "optional, not set"


class Shown(TypedDict):
    name: str
    title: NotRequired[str]
    description: str
    category: str
    isCore: bool
    status: str
    reason: NotRequired[str]
    missingEnvKeys: NotRequired[list[str]]
    source: str
    trusted: bool
    launch: dict[str, Any]
    version: str
    keys: dict[str, str]
    boot: bool
    policy: dict[str, str]
    tools: list[str]
    held: NotRequired[list[str]]
    homepage: NotRequired[str]
    also: NotRequired[list[dict[str, Any]]]


@operation(Effect.READ, capability="gateway", callers=ANYONE, people=True, examples=("deedlog mcp show github",))
def mcp_show(ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]) -> Shown:
    """One MCP server in full: where it is configured, what is run, which keys it gets, what its policy is.

    References are shown as they are written, values never.
    """
    found = standing(ctx, name)
    server = found.server
    known = ctx.gateway.environment()
    pin = ctx.ledger.find_one(Pin, server.name)
    answer: Shown = {
        "name": server.name,
        "description": server.description,
        "category": server.category,
        "isCore": server.core,
        "status": str(found.status),
        "source": server.source,
        "trusted": server.trusted,
        "launch": shown(server),
        "version": version(server),
        "keys": {key: known.get(key) or (LACKS if key in found.missing else UNSET) for key in keys_of(server)},
        "boot": server.boot,
        "policy": dict(ctx.gateway.policy(server)),
        "tools": _tools(ctx, server, pin),
    }
    if server.title:
        answer["title"] = server.title
    if found.reason:
        answer["reason"] = found.reason
    if found.missing:
        answer["missingEnvKeys"] = found.missing
    if pin is not None and pin.withheld:
        answer["held"] = pin.withheld
    if server.homepage:
        answer["homepage"] = server.homepage
    if others := [each for each in ctx.gateway.candidates(server.name) if each.source != server.source]:
        answer["also"] = [{"source": each.source, "trusted": each.trusted, "launch": shown(each)} for each in others]
    return condensed(answer)


def _tools(ctx: Context, server: Server, pin: Pin | None) -> list[str]:
    """The tools it has, as far as anybody knows: those it offers, those agreed to, those it is known for."""
    offer = ctx.gateway.offered(server.name)
    if offer is not None:
        return [str(tool["name"]) for tool in offer.tools]
    return list(pin.tools) if pin is not None and pin.tools else server.tools
