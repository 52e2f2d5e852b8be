"""What a person is asked before it happens: a call that the policy asks about, a server that no person has approved.

The question shows names, arguments and commands as data. Only what somebody chose in the form counts; a client that
accepts a form nobody filled in has not said yes. Where the caller cannot be asked, the refusal names the command with
which a person decides.
"""

from __future__ import annotations

import re
from weakref import WeakKeyDictionary

from deedlog.core.entry import digest
from deedlog.core.errors import Denied, Part, Unavailable
from deedlog.core.gate.approval import approval, approved
from deedlog.core.gate.flags import is_grave, meaning
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.naming import mounted_name
from deedlog.core.gate.policy import Verdict, decided
from deedlog.core.gate.readiness import denial, lack
from deedlog.core.gate.server import Status
from deedlog.core.remark import APPROVED
from deedlog.core.words import one_line
from deedlog.work.consent import MOST_SHOWN, NOT_WHOLE, decision, noted, visible, written
from deedlog.work.consent import shown as data_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.gate.server import Server, Standing
    from deedlog.ports import Context, Gateway, Peer

    Json = dict[str, Any]

ONCE, ALWAYS, NEVER = "once", "always", "never"
APPROVE, REFUSE = "approve", "refuse"
CAPABILITY = "gateway"  # whose refusals all have one form
READS = ("resources/read", "prompts/get")
SEEN: WeakKeyDictionary[Gateway, dict[str, Pin | None]] = WeakKeyDictionary()
PLAIN = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)  # a name that needs no quotes in a command


def let(ctx: Context, server: Server, tool: str, arguments: Json) -> None:
    """Let a call of a mounted server's tool through, or refuse it. `tool` is the server's own name for it."""
    pin = _agreed(ctx, server.name)
    if pin is not None and tool in pin.withheld:
        raise _held(server.name, tool)
    flags = pin.flags.get(tool, []) if pin is not None else []
    verdict = decided(ctx.gateway.policy(server), tool, suspicious=is_grave(flags))
    if verdict is Verdict.ALLOW:
        return
    if verdict is Verdict.DENY:
        raise _denied(server, tool, f"the policy of {server.name} denies {mounted_name(server.name, tool)}")
    question = _question(ctx, server, tool, arguments, flags)
    if not question:
        raise _denied(server, tool, f"nobody could be asked about {mounted_name(server.name, tool)}: {NOT_WHOLE}")
    said = decision(ctx.peer, _key(server, tool, arguments), question, _ways())
    noted(ctx, question, said, yes=said in (ONCE, ALWAYS))
    if said == ALWAYS:
        remember(ctx, server.name, tool, Verdict.ALLOW)
    elif said == NEVER:
        remember(ctx, server.name, tool, Verdict.DENY)
    if said not in (ONCE, ALWAYS):
        name = mounted_name(server.name, tool)
        reason = meaning(flags) if is_grave(flags) else f"the policy of {server.name} asks about it"
        told = f"nobody could be asked about {name}" if said is None else f"the user did not let {name} through"
        raise _denied(server, tool, f"{told}: {reason}" if said is None else told)


def _agreed(ctx: Context, server: str) -> Pin | None:
    """What was agreed to. While the store is away, what this process read last counts: no call fails for that."""
    known = SEEN.setdefault(ctx.gateway, {})
    try:
        known[server] = ctx.ledger.find_one(Pin, server)
    except Unavailable:
        if server not in known:
            raise
    return known[server]


def let_beside(gateway: Gateway, server: Server, method: str, params: Json, peer: Peer, actor: str) -> Json | None:
    """Let a request through that is no call of a tool, or refuse it: what the policy says of the whole server counts.

    A person is asked only about what is read; for all else, having to ask is a refusal. The answer is the approval to
    record, if a person gave one.
    """
    verdict = decided(gateway.policy(server), "", suspicious=False)
    if verdict is Verdict.ALLOW or method == "resources/unsubscribe":
        return None
    told = f"the policy of {server.name} denies {method}"
    if verdict is Verdict.ASK:
        asked = {"server": server.name, "request": method, **params}
        shown = data_shown(asked, lambda text: gateway.redacted(server.name, text))
        message = f"{one_line(visible(actor))} wants something of another MCP server:\n\n{shown}"
        ways = {ONCE: "Let this through", REFUSE: "Do not let it through"}
        key = f"let:{server.name}:{digest([method, params])[:16]}"
        said = decision(peer, key, message, ways) if method in READS and shown else None
        if said == ONCE:
            return {"by": actor, "question": message, "said": said, "verdict": APPROVED}
        told = f"the user did not let {method} of {server.name} through"
        if said is None:
            why = f"the policy of {server.name} asks about it" if shown else NOT_WHOLE
            told = f"nobody could be asked about {method}: {why}"
    named = str(params.get("uri") or params.get("name") or method)
    gateway.refused(server.name, named, params, actor, told)
    raise Denied(
        told, hint=f"a person can change that: deedlog mcp policy {server.name} '*' allow", data={"server": server.name}
    )


def refuse_held(ctx: Context, server: str, tool: str) -> None:
    """Refuse a tool that is held back, by its own name or by ours: that it is not offered does not tell why."""
    pin = ctx.ledger.find_one(Pin, server)
    for name in pin.withheld if pin is not None else ():
        if tool in (name, mounted_name(server, name)):
            raise _held(server, name)


def _held(server: str, tool: str) -> Denied:
    return Denied(
        f"{mounted_name(server, tool)} is held back until a person accepts it",
        hint=f"a person looks at it and accepts it: deedlog mcp accept {server}",
        data={"server": server, "tool": tool, "held": True, "capability": CAPABILITY},
    )


def usable(ctx: Context, found: Standing) -> Standing:
    """A server that may be run or reached now, if need be because a person approves it in a form."""
    server = found.server
    _refuse_missing(found)
    if not server.trusted and not server.disabled and not server.barred:
        approve(ctx, server)
        found = ctx.gateway.configured(server.name) or found
        _refuse_missing(found)
    if found.status is Status.DISABLED:
        raise Denied(denial(found), hint=found.reason, part=Part.CONFIGURATION)
    return found


def _refuse_missing(found: Standing) -> None:
    if found.status is Status.MISSING:
        data: Json = {"server": found.server.name, "missingEnvKeys": found.missing}
        raise Unavailable(f"Missing {lack(found)}", hint=found.reason, part=Part.CONFIGURATION, data=data)


def approve(ctx: Context, server: Server) -> None:
    """Have a person approve a server of the repository or of the catalogue, or refuse. It covers this very program."""
    from deedlog.core.gate.reference import keys_of
    from deedlog.core.gate.secrecy import shown
    from deedlog.core.gate.version import told
    from deedlog.work.configuring import as_brought

    server = as_brought(ctx, server)
    facts = {**shown(server), "version": told(server), "keys it is given": keys_of(server)}
    what = written(facts | ({"boot": True} if server.boot else {}))
    if len(what) > MOST_SHOWN:
        raise _not_trusted(server, "what it runs is too long to be shown in a question")
    ways = {APPROVE: "Approve: use it, now and later", REFUSE: "Do not use it"}
    key = f"approve:{server.name}:{approval(server, ctx.root)[:16]}"
    message = f"{_wish(ctx, server)}\n\n{what}\n\nDo you approve?"
    said = decision(ctx.peer, key, message, ways)
    noted(ctx, message, said, yes=said == APPROVE)
    if said != APPROVE:
        raise _not_trusted(server, "no person has approved it" if said is None else "the user did not approve it")
    ctx.gateway.write(lambda file: approved(file, server, ctx.root))  # what was shown, whatever is there by now


def _wish(ctx: Context, server: Server) -> str:
    who = one_line(visible(ctx.actor))
    if server.brought:
        where = one_line(visible(server.source), 200)
        return (
            f"{who} wants to run the MCP server {server.name} on this machine. The repository configures it in {where}."
        )
    if server.transport != "stdio":
        return f"{who} wants to send data to the MCP server {server.name}, which Deedlog knows from its catalogue."
    return f"{who} wants to run the MCP server {server.name} on this machine. Deedlog knows it from its catalogue."


def _not_trusted(server: Server, why: str) -> Denied:
    whose = "the repository brought it" if server.brought else "it is from the catalogue"
    return Denied(
        f"{server.name} is not trusted: {whose}, and {why}",
        hint=f"a person looks at it, and approves it with --yes: deedlog mcp enable {server.name}",
        data={"server": server.name, "source": server.source},
    )


def remember(ctx: Context, server: str, pattern: str, verdict: Verdict | None) -> str:
    """Write down what a person said of a server's tools, in the user's own file; None takes it back."""
    from deedlog.work.configuring import with_entry  # only where something is written

    def changed(entry: Json | None) -> Json | None:
        others = {name: value for name, value in (entry or {}).items() if name != "policy"}
        policy = {name: said for name, said in _object((entry or {}).get("policy")).items() if name != pattern}
        policy |= {pattern: str(verdict)} if verdict else {}
        return {**others, "policy": policy} if policy else others or None

    return ctx.gateway.write(with_entry(server, changed))


def _question(ctx: Context, server: Server, tool: str, arguments: Json, flags: list[str]) -> str:
    """Names and arguments as data; of the tool's description nothing. Empty where a form does not show all of it."""
    called = {"server": server.name, "tool": visible(tool), "arguments": arguments}
    why = f"\n\nIts description is suspicious: {meaning(flags)}." if flags else ""
    asked = data_shown(called, lambda text: ctx.gateway.redacted(server.name, text))
    who = one_line(visible(ctx.actor))
    return f"{who} wants to call a tool of another MCP server:\n\n{asked}{why}" if asked else ""


def _ways() -> dict[str, str]:
    return {ONCE: "Let this call through", ALWAYS: "Always let this tool through", NEVER: "Never let this tool through"}


def _key(server: Server, tool: str, arguments: Json) -> str:
    """The same in a call that is repeated to go on, and another for other arguments."""
    return f"let:{server.name}:{digest([tool, arguments])[:16]}"


def spoken(server: str, tool: str) -> str:
    """What a tool is called in a sentence or a command of ours: its own name only where that is a plain word."""
    return tool if PLAIN.fullmatch(tool) else mounted_name(server, tool)


def _denied(server: Server, tool: str, message: str) -> Denied:
    name = spoken(server.name, tool)
    return Denied(
        message,
        hint=f"a person can change that: deedlog mcp policy {server.name} {name} allow",
        data={"server": server.name, "tool": tool},
    )


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
