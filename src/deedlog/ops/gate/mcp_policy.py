from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.naming import mounted_names
from deedlog.core.gate.policy import Verdict, deciding
from deedlog.core.gate.server import Server
from deedlog.core.words import did_you_mean
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import about
from deedlog.work.letting import remember
from deedlog.work.mounting import standing
from deedlog.work.server_tools import Ruled, known_tools, rulings

USUAL = "usual"


class Policy(TypedDict):
    server: str
    policy: dict[str, str]
    tools: list[Ruled]
    file: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="gateway",
    callers=ANYONE,
    people=True,
    only_changes=True,
    columns=["tool", "verdict", "because"],
    by_place=["server", "tool", "verdict"],
    examples=("deedlog mcp policy github 'delete_*' deny", "deedlog mcp policy github"),
)
def mcp_policy(
    ctx: Context,
    *,
    server: Annotated[str, Field("The server's name", min_length=1, max_length=200)],
    tool: Annotated[str | None, Field("A tool of it, or a pattern such as delete_*", max_length=200)] = None,
    verdict: Annotated[
        Literal["allow", "ask", "deny", "usual"] | None,
        Field("What to do with its calls; usual takes it back", person=True),
    ] = None,
) -> Policy:
    """Show which tools of a server are let through, asked about or denied, or say so.

    The most specific pattern counts. Without any, tools are let through; what is suspicious is asked about.
    """
    found = standing(ctx, server).server
    pin = ctx.ledger.find_one(Pin, found.name)
    names = known_tools(pin, found.tools)
    pattern = _own_name(found, names, tool or "*")
    if verdict is None:
        if tool is not None:
            names = [pattern] if pattern in names else [name for name in names if deciding({pattern: ""}, name)]
        return _answer(ctx, found, pin, names)
    if tool is None:
        hint = "name the tool, a pattern, or '*' for all of them"
        raise Invalid("tool: of which tools is this said?", hint=hint, data={"field": "tool"})
    before = ctx.gateway.policy(found).get(pattern, USUAL)
    file = remember(ctx, found.name, pattern, None if verdict == USUAL else Verdict(verdict))
    answer = _answer(ctx, found, pin, [name for name in names if deciding({pattern: ""}, name)])
    answer["file"] = file
    if not answer["tools"]:
        near = did_you_mean(pattern, names, "nothing is known of its tools before it is mounted")
        answer["warnings"] = [f"no tool that {found.name} is known to have is called so: {near}"]
    said = about(found.name, before={"policy": {pattern: str(before)}}, after={"policy": {pattern: verdict}})
    return ctx.commit(answer=answer, outside=said)


def _own_name(server: Server, names: list[str], given: str) -> str:
    """What the server calls a tool that was named as it is called here."""
    ours = {mounted: name for name, mounted in mounted_names(server.name, names).items()}
    return ours.get(given, given)


def _answer(ctx: Context, server: Server, pin: Pin | None, names: list[str]) -> Policy:
    policy = dict(ctx.gateway.policy(server))
    return {"server": server.name, "policy": policy, "tools": page.fitting(rulings(policy, pin, names))}
