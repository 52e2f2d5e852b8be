"""Agreeing to what a server's tools are, and holding back what has changed since. See `core/gate/pinning.py`."""

from __future__ import annotations

import json

from deedlog.core.gate.flags import is_grave, meaning
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.naming import mounted_name
from deedlog.core.gate.pinning import compared, definitions, fingerprints, launch_hash
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.core.gate.server import Server
    from deedlog.ports import Context, Offer

    Json = dict[str, Any]

MOST_PINS = 500  # whose tools count as known
MOST_REMEMBERED = 2_000  # tools of one server; beyond that new ones are held back, and none is forgotten
MOST_NAMED = 5  # in a warning
INSTRUCTIONS, PROMPTS, RESOURCES = "(instructions)", "(prompts)", "(resources)"  # what is flagged beside tools


class Agreed(Value):
    """What was agreed to: the pin to commit (as it was stored, unless `is_news`), the tools that are held back, what
    is suspicious about which, and what to tell whoever mounts it. All names but those in warnings are the server's own.
    """

    pin: Pin
    held: list[str]
    flags: dict[str, list[str]]
    warnings: list[str]
    is_news: bool


class Kept(Value):
    """What stands behind a pin: what the server offered last, and of tools that are held back what was agreed to and
    the hashes of what was seen in its place.
    """

    offer: Json
    agreed: dict[str, list[Json]]
    hashes: dict[str, str]

    def seen(self) -> dict[str, list[Json]]:
        return definitions(self.offer.get("tools", []))


def agree(ctx: Context, server: Server, offer: Offer) -> Agreed:
    """Compare what a server offers with what was agreed to; all of it is, where this program is mounted first.

    A tool that changed is held back. One that is new is offered and told of, unless it is suspicious or one of too
    many: then it is held back, too. So is a definition that is nested too deeply to be compared.
    """
    from deedlog.core.gate.suspicion import is_deep  # its rules take long to load

    stored = ctx.ledger.find_one(Pin, server.name)
    launch = launch_hash(server)
    known = stored if stored is not None and stored.launch == launch else None
    deep = {str(tool.get("name")) for tool in _tools(offer) if is_deep(tool)}
    readable = [tool for tool in _tools(offer) if tool["name"] not in deep]
    now = fingerprints(readable)
    flags = suspicious(ctx, server, offer)
    changes = compared(known.tools, now) if known else compared(now, now)
    agreed_to = known.tools if known else now
    room = max(MOST_REMEMBERED - len(agreed_to), 0)
    added = [name for name in changes.added if not is_grave(flags.get(name, []))][:room]
    held = sorted({*changes.changed, *changes.added, *deep}.difference(added))
    tools = {**agreed_to, **{name: now[name] for name in added}}
    same = known is not None and (tools, held, flags) == (known.tools, known.held, known.flags)
    agreed = _agreed(ctx, known, held)
    kept = Kept(offer=_lasting(offer, deep), agreed=agreed, hashes={name: now[name] for name in held if name in now})
    digest = ctx.ledger.keep(_encoded(_cleaned(ctx, server.name, kept.fields())))
    is_news = not same or known is None or digest != known.definitions
    fields: Json = {"launch": launch, "tools": tools, "held": held, "flags": flags, "definitions": digest}
    pin = stored or Pin(id=server.name, launch=launch, created_at=ctx.now)
    return Agreed(
        pin=pin.replace(**fields, seen_at=ctx.now) if is_news else pin,
        held=held,
        flags=flags,
        warnings=_warnings(server, stored, held, added if known else [], flags),
        is_news=is_news,
    )


def accepted(ctx: Context, pin: Pin, names: Iterable[str]) -> Pin:
    """The pin once these held tools are agreed to as they were seen last."""
    kept = kept_of(ctx, pin)
    taken = {name for name in names if name in kept.hashes}
    left = Kept(
        offer=kept.offer,
        agreed={name: several for name, several in kept.agreed.items() if name not in taken},
        hashes={name: hashed for name, hashed in kept.hashes.items() if name not in taken},
    )
    return pin.replace(
        tools={**pin.tools, **{name: kept.hashes[name] for name in taken}},
        held=[name for name in pin.held if name not in taken],
        definitions=ctx.ledger.keep(_encoded(left.fields())),
        seen_at=ctx.now,
    )


def kept_of(ctx: Context, pin: Pin) -> Kept:
    found = json.loads(ctx.ledger.kept(pin.definitions)) if pin.definitions else {}
    return Kept(offer=found, agreed=found.get("agreed", {}), hashes=found.get("hashes", {}))


def is_outdated(ctx: Context, name: str) -> bool:
    """Whether other tools are held back than this process knows: somebody accepted them, or saw others change."""
    pin, offer = ctx.ledger.find_one(Pin, name), ctx.gateway.offered(name)
    if pin is None or offer is None:
        return False
    let_through = {tool.get("name") for tool in ctx.gateway.mounted().get(name, offer).tools}
    return any((tool.get("name") in let_through) == (tool.get("name") in pin.held) for tool in _tools(offer))


def suspicious(ctx: Context, server: Server, offer: Offer) -> dict[str, list[str]]:
    """The flags of all that a server says; see `core/gate/suspicion.py`."""
    from deedlog.core.gate.suspicion import flags_of_texts, flags_of_tool, is_deep, texts  # see above
    from deedlog.work.luring import described

    known, tools = _known(ctx, server), _tools(offer)
    own = frozenset(str(tool["name"]) for tool in tools)
    known = {name: described for name, described in known.items() if described or name not in own}
    found: dict[str, list[str]] = {}
    for tool in tools:  # several may have one name
        name = str(tool["name"])
        found[name] = list(dict.fromkeys([*found.get(name, []), *flags_of_tool(tool, known, own)]))
    copies = sum("copy" in codes for codes in found.values())
    if copies > 1 and 2 * copies >= len(found):  # the same program, mounted twice
        found = {name: [code for code in codes if code != "copy"] for name, codes in found.items()}
    beside: dict[str, list[Any]] = {
        INSTRUCTIONS: [offer.instructions],
        PROMPTS: offer.prompts,
        RESOURCES: [*offer.resources, *offer.templates],
    }
    for place, said in beside.items():
        read = [] if is_deep(said) else list(texts([described(each) for each in said]))
        found[place] = ["deep"] if is_deep(said) else flags_of_texts(read, known, own)
    return {name: codes for name, codes in found.items() if codes}


def _tools(offer: Offer) -> list[Json]:
    listed: list[Any] = offer.tools
    return [tool for tool in listed if isinstance(tool, dict) and isinstance(tool.get("name"), str)]


def _known(ctx: Context, server: Server) -> dict[str, str]:
    """The names of tools that are not this server's, with descriptions where those are at hand."""
    found = {name: "" for pin in ctx.ledger.find(Pin, limit=MOST_PINS) if pin.id != server.name for name in pin.tools}
    for op in ctx.tools():
        if not op.server:
            found[op.name] = ""
        elif op.server != server.name:
            found[op.name.partition("__")[2]] = str(op.tool.get("description", ""))
    return found


def _agreed(ctx: Context, known: Pin | None, held: list[str]) -> dict[str, list[Json]]:
    """What the held tools were when they were agreed to; none that was not there then."""
    if known is None or not held:
        return {}
    kept = kept_of(ctx, known)
    before = {**kept.seen(), **kept.agreed}
    return {name: before[name] for name in held if name in known.tools and name in before}


def _lasting(offer: Offer, deep: set[str]) -> Json:
    """The offer as it can be kept: without what is nested too deeply, and how long it took to come."""
    from deedlog.core.gate.suspicion import is_deep  # see above

    found = {name: value for name, value in offer.fields().items() if name != "spent" and not is_deep(value)}
    return {**found, "tools": [tool for tool in _tools(offer) if tool["name"] not in deep]}


def _encoded(fields: Json) -> bytes:
    """The offer's own fields are the outermost: whoever needs to know what a server offers reads just these."""
    beside = {name: value for name, value in fields.items() if name != "offer"}
    return json.dumps({**fields["offer"], **beside}, sort_keys=True, separators=(",", ":")).encode()


def _cleaned(ctx: Context, server: str, data: Any) -> Any:
    if isinstance(data, str):
        return ctx.gateway.redacted(server, data)
    if isinstance(data, dict):
        return {key: _cleaned(ctx, server, value) for key, value in data.items()}
    return [_cleaned(ctx, server, value) for value in data] if isinstance(data, list) else data


def _warnings(
    server: Server, stored: Pin | None, held: list[str], added: list[str], flags: dict[str, list[str]]
) -> list[str]:
    found = []
    if stored is not None and stored.launch != launch_hash(server):
        found.append("another program than before is run under this name: its tools were agreed to anew")
    if held:
        how = f"deedlog mcp accept {server.name} shows what changed"
        found.append(f"held back until a person accepts them: {_named(server, held)}; {how}")
    if added:
        found.append(f"new since it was agreed to: {_named(server, added)}")
    for name, codes in flags.items():
        what = name.strip("()") if name in (INSTRUCTIONS, PROMPTS, RESOURCES) else mounted_name(server.name, name)
        found.append(f"suspicious, {what}: {meaning(codes)}")
    return found


def _named(server: Server, names: list[str]) -> str:
    shown = ", ".join(mounted_name(server.name, name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
