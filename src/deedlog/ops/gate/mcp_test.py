from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import PEOPLE
from deedlog.core.gate.secrecy import line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.letting import usable
from deedlog.work.mounting import tokens_of


class Tested(TypedDict):
    name: str
    works: bool
    tools: list[str]
    resources: int
    prompts: int
    tokens: int
    seconds: dict[str, float]
    version: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY, capability="gateway", callers=PEOPLE, people=True, waits=True, examples=("deedlog mcp test time",)
)
def mcp_test(ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]) -> Tested:
    """Start an MCP server, ask what it offers, and stop it again; nothing is mounted."""
    server = usable(ctx, ctx.gateway.standing(name)).server
    ctx.peer.progress(0, None, f"starting {server.name}: {line(server)}")
    offer = ctx.gateway.probe(server.name, ctx.peer)
    answer: Tested = {
        "name": server.name,
        "works": True,
        "tools": page.fitting(tool["name"] for tool in offer.tools),
        "resources": len(offer.resources) + len(offer.templates),
        "prompts": len(offer.prompts),
        "tokens": tokens_of(sum(map(page.size, offer.tools))),
        "seconds": offer.spent,
    }
    if isinstance(version := offer.info.get("version"), str):
        answer["version"] = version[:100]
    if offer.problems:
        answer["warnings"] = offer.problems
    return ctx.commit(answer=answer)
