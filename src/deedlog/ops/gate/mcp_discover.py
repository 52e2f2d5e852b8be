from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.gate.discover import Hit, ranked
from deedlog.core.gate.server import Standing
from deedlog.core.words import one_line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.ports.gateway import Offer
from deedlog.work.mounting import mounted, standings

LONGEST = 200  # of a description or a reason
MOST_TOOLS = 10
NOTHING = "no server is known to serve this: say it in other words, or see mcp_environment for all of them"


class Found(TypedDict):
    name: str
    status: str
    category: str
    description: str
    reason: str
    score: float
    missingEnvKeys: NotRequired[list[str]]
    problem: NotRequired[str]
    tools: NotRequired[list[str]]


class Discovery(TypedDict):
    servers: list[Found]
    hint: NotRequired[str]


@operation(
    Effect.READ,
    capability="gateway",
    callers=ANYONE,
    columns=("name", "status", "missingEnvKeys", "score", "reason", "description"),
    everyday=7,
    examples=("deedlog mcp discover 'refund a customer'", "deedlog mcp discover 'héberger mon site' --limit 3"),
)
def mcp_discover(
    ctx: Context,
    *,
    intent: Annotated[str, Field("What you want to do, in your own words", min_length=1, max_length=500)],
    limit: Annotated[int, Field("How many", minimum=1, maximum=20, rare=True)] = 5,
) -> Discovery:
    """Find MCP servers for a task ("deploy", "rembourser un client"), best first; then mcp_activate one."""
    offers = mounted(ctx)
    every = [_with_tools(each, offers.get(each.server.name)) for each in standings(ctx)]
    rows = [_row(hit) for hit in ranked(intent, every, limit)]
    return {"servers": rows} if rows else {"servers": [], "hint": NOTHING}


def _with_tools(standing: Standing, offer: Offer | None) -> Standing:
    """A mounted server is also found by the tools that it has."""
    if offer is None:
        return standing
    return standing.replace(server=standing.server.replace(tools=[str(tool["name"]) for tool in offer.tools]))


def _row(hit: Hit) -> Found:
    server = hit.standing.server
    row: Found = {
        "name": server.name,
        "status": str(hit.standing.status),
        "category": server.category,
        "description": one_line(server.summary, LONGEST),
        "reason": one_line(hit.reason, LONGEST),
        "score": hit.score,
    }
    if hit.standing.missing:
        row["missingEnvKeys"] = hit.standing.missing
    elif hit.standing.reason:
        row["problem"] = one_line(hit.standing.reason, LONGEST)
    if server.tools:
        row["tools"] = server.tools[:MOST_TOOLS]
    return row
