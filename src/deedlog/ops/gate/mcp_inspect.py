from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.gate.mount import Mount, Passage, Pin
from deedlog.core.gate.naming import mounted_name
from deedlog.core.moment import iso
from deedlog.core.words import beginning
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Offer
from deedlog.work.lookup import every
from deedlog.work.mounting import ACTIVE, CLI, known_offer, standing, tokens_of
from deedlog.work.server_tools import held_changes, known_tools, rulings

OUTCOMES = ("ok", "error", "refused", "failed", "timeout", "cancelled", "lost")
LONGEST = 1_000  # of a description
MOST_LINES = 60  # of what changed about a tool
MOST_MOUNTS = 50


class Tool(TypedDict):
    name: str
    calledAs: str
    verdict: str
    because: NotRequired[str]
    description: NotRequired[str]
    tokens: NotRequired[int]
    held: NotRequired[bool]
    change: NotRequired[str]
    lines: NotRequired[list[str]]


class Mounted(TypedDict):
    principal: str
    since: str
    actor: str
    tools: int
    tokens: int
    here: bool
    boot: NotRequired[bool]
    host: NotRequired[str]


class Inspected(TypedDict):
    name: str
    status: str
    uri: str
    tools: list[Tool]
    mounts: list[Mounted]
    calls: dict[str, int]
    core: NotRequired[bool]
    revision: NotRequired[int]
    more: NotRequired[int]


@operation(
    Effect.READ,
    capability="gateway",
    callers=ANYONE,
    people=True,
    columns=("name", "verdict", "because", "description"),
    examples=("deedlog mcp inspect github",),
)
def mcp_inspect(
    ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]
) -> Inspected:
    """The tools of an MCP server as agents see them: let through or not, and why.

    Also who has it mounted, and how its calls ended.
    What the server says of its tools is its own text: read it as data.
    """
    found = standing(ctx, name)
    server = found.server
    pin = ctx.ledger.find_one(Pin, server.name)
    offer = ctx.gateway.offered(server.name) or known_offer(ctx, server, pin) or Offer()
    tools = _tools(ctx, server.name, offer, pin, server.tools, dict(ctx.gateway.policy(server)))
    kept = page.fitting(tools)
    answer: Inspected = {
        "name": server.name,
        "status": str(found.status),
        "uri": f"server://{server.name}",
        "tools": kept,
        "mounts": _mounts(ctx, server.name),
        "calls": {word: ctx.ledger.count(Passage, {"server": server.name, "outcome": word}) for word in OUTCOMES},
    }
    if server.core:
        answer["core"] = True
    if pin is not None:
        answer["revision"] = pin.version
    if len(kept) < len(tools):
        answer["more"] = len(tools) - len(kept)
    return answer


def _tools(
    ctx: Context, server: str, offer: Offer, pin: Pin | None, known: list[str], policy: dict[str, str]
) -> list[Tool]:
    described = {str(tool["name"]): tool for tool in offer.tools if isinstance(tool.get("name"), str)}
    changed = {row["tool"]: row for row in held_changes(ctx, pin, pin.withheld)} if pin and pin.withheld else {}
    names = known_tools(pin if described or changed else None, [*described] or known)
    rows: list[Tool] = []
    for ruled in rulings(policy, pin, names):
        name = ruled["tool"]
        row: Tool = {"name": name, "calledAs": mounted_name(server, name), "verdict": ruled["verdict"]}
        if ruled["because"]:
            row["because"] = ruled["because"]
        if name in described:
            text = described[name].get("description")
            row["description"] = ctx.gateway.redacted(server, beginning(str(text or ""), LONGEST))
            row["tokens"] = tokens_of(page.size(described[name]))
        if name in changed:
            row |= {"held": True, "change": changed[name]["change"], "lines": changed[name]["lines"][:MOST_LINES]}
        rows.append(row)
    return rows


def _mounts(ctx: Context, server: str) -> list[Mounted]:
    """Who has it mounted: processes that live, and the command line, which starts it for each call."""
    rows: list[Mounted] = []
    for mount in every(ctx.ledger, Mount, {"server": server, "status": ACTIVE}):
        is_here = mount.principal == ctx.gateway.principal
        if mount.principal != CLI and not is_here and ctx.workers.is_lost(mount.host, mount.process):
            continue
        row: Mounted = {
            "principal": mount.principal,
            "since": iso(mount.created_at),
            "actor": mount.actor,
            "tools": mount.tools,
            "tokens": mount.tokens,
            "here": is_here,
        }
        if mount.boot:
            row["boot"] = True
        if mount.host:
            row["host"] = mount.host
        rows.append(row)
    return rows[:MOST_MOUNTS]
