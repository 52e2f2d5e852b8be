"""Agreeing to what a server offers, and holding back what is suspicious or has changed. See `core/gate/pinning.py`."""

from __future__ import annotations

import json

from deedlog.core.gate.beside import INSTRUCTIONS, is_key, read, things
from deedlog.core.gate.flags import is_grave, meaning
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.naming import mounted_name, mounted_names
from deedlog.core.gate.pinning import compared, definitions, fingerprint, fingerprints, launch_hash
from deedlog.core.value import Value
from deedlog.ports import Offer
from deedlog.work.mounted_tools import original_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.core.gate.others import Others
    from deedlog.core.gate.server import Server
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_PINS = 500  # whose tools count as known
MOST_REMEMBERED = 2_000  # tools of one server; beyond that new ones are held back, and none is forgotten
MOST_NAMED = 5  # in a warning


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
        offer = Offer(**{name: value for name, value in self.offer.items() if name in Offer.defaults()})
        return {**definitions(offer.tools), **{key: [row] for key, row in things(offer)}}


def agree(ctx: Context, server: Server, offer: Offer) -> Agreed:
    """Compare what a server offers with what was agreed to. All but the suspicious is, where it is mounted first.

    A tool that changed is held back. One that is new is offered and told of, unless it is one of too many. Whatever is
    suspicious is held back until a person has accepted exactly this text, and so is a definition that is nested too
    deeply to be compared.
    """
    from deedlog.core.gate.suspicion import is_deep  # its rules take long to load

    stored = ctx.ledger.find_one(Pin, server.name)
    launch = launch_hash(server)
    known = stored if stored is not None and stored.launch == launch else None
    deep = {str(tool.get("name")) for tool in _tools(offer) if is_deep(tool)}
    now = fingerprints(tool for tool in _tools(offer) if tool["name"] not in deep)
    flags = suspicious(ctx, server, offer)
    now_beside = {key: fingerprint([row]) for key, row in things(offer) if key in flags and not is_deep(row)}
    accepted = known.accepted if known else {}
    hashes = {**now, **now_beside}
    grave = {name for name, codes in flags.items() if is_grave(codes) and hashes.get(name) != accepted.get(name, "")}
    agreed_to = known.tools if known else {}
    changes = compared(agreed_to, now)
    room = max(MOST_REMEMBERED - len(agreed_to), 0)
    added = [name for name in changes.added if name not in grave][:room]
    held = sorted({*changes.changed, *changes.added, *deep, *grave}.difference(added))
    tools = {**agreed_to, **{name: now[name] for name in added}}
    kept = Kept(
        offer=_lasting(offer, deep),
        agreed=_agreed(ctx, known, changes.changed),
        hashes={name: hashes[name] for name in held if name in hashes},
    )
    digest = ctx.ledger.keep(_encoded(_cleaned(ctx, server.name, kept.fields())))
    fields: Json = {"launch": launch, "tools": tools, "held": held, "flags": flags, "accepted": accepted}
    fields["definitions"] = digest
    is_news = known is None or any(getattr(known, name) != value for name, value in fields.items())
    pin = stored or Pin(id=server.name, launch=launch, created_at=ctx.now)
    return Agreed(
        pin=pin.replace(**fields, seen_at=ctx.now) if is_news else pin,
        held=held,
        flags=flags,
        warnings=[*offer.problems, *_warnings(server, stored, held, added if known else [], flags)],
        is_news=is_news,
    )


def accepted(ctx: Context, pin: Pin, names: Iterable[str]) -> Pin:
    """The pin once a person has accepted what is held back of these, as it was seen last."""
    kept = kept_of(ctx, pin)
    hashes = {**{name: pin.tools[name] for name in pin.withheld if name in pin.tools}, **kept.hashes}
    taken = {name: hashes[name] for name in names if name in hashes}
    left = Kept(
        offer=kept.offer,
        agreed={name: several for name, several in kept.agreed.items() if name not in taken},
        hashes={name: hashed for name, hashed in kept.hashes.items() if name not in taken},
    )
    return pin.replace(
        tools={**pin.tools, **{name: hashed for name, hashed in taken.items() if not is_key(name)}},
        accepted={**pin.accepted, **taken},
        held=[name for name in pin.held if name not in taken],
        definitions=ctx.ledger.keep(_encoded(left.fields())),
        seen_at=ctx.now,
    )


def kept_of(ctx: Context, pin: Pin) -> Kept:
    found = json.loads(ctx.ledger.kept(pin.definitions)) if pin.definitions else {}
    return Kept(offer=found, agreed=found.get("agreed", {}), hashes=found.get("hashes", {}))


def is_outdated(ctx: Context, name: str) -> bool:
    """Whether other things are held back than this process knows: a person accepted them, or a process saw a change."""
    pin, offer = ctx.ledger.find_one(Pin, name), ctx.gateway.offered(name)
    if pin is None or offer is None:
        return False
    let_through, held = _names(ctx.gateway.mounted().get(name, offer)), set(pin.withheld)
    return any((each in let_through) == (each in held) for each in _names(offer))


def suspicious(ctx: Context, server: Server, offer: Offer) -> dict[str, list[str]]:
    """The flags of all that a server says, by the names of tools and the keys of other things."""
    from deedlog.core.gate.others import cut_alike, twins
    from deedlog.core.gate.suspicion import flags_of_texts, flags_of_tool, is_deep, texts  # see above

    tools = _tools(offer)
    names = list(dict.fromkeys(str(tool["name"]) for tool in tools))
    others = _others(ctx, server, names)
    found: dict[str, list[str]] = {name: [] for name in names}
    for tool in tools:  # several may have one name
        name = str(tool["name"])
        found[name] = list(dict.fromkeys([*found[name], *flags_of_tool(tool, others)]))
    copies = sum("copy" in codes for codes in found.values())
    if copies > 1 and 2 * copies >= len(found):  # the same program, mounted twice
        found = {name: [code for code in codes if code != "copy"] for name, codes in found.items()}
    for code, alike in (("imitation", twins(names)), ("twin", cut_alike(mounted_names(server.name, names)))):
        for name in alike:
            found[name] = list(dict.fromkeys([*found[name], code]))
    for key, row in things(offer):
        said = read(row)
        found[key] = ["deep"] if is_deep(row) else flags_of_texts(list(texts(said)), others)
    return {name: codes for name, codes in found.items() if codes}


def _tools(offer: Offer) -> list[Json]:
    listed: list[Any] = offer.tools
    return [tool for tool in listed if isinstance(tool, dict) and isinstance(tool.get("name"), str)]


def _names(offer: Offer) -> set[str]:
    return {*(str(tool["name"]) for tool in _tools(offer)), *(key for key, _ in things(offer))}


def _others(ctx: Context, server: Server, own: list[str]) -> Others:
    """All tools that Deedlog knows of and that are not this server's."""
    from deedlog.core.gate.others import Others

    tools: dict[str, dict[str, str]] = {
        pin.id: dict.fromkeys(pin.tools, "") for pin in ctx.ledger.find(Pin, limit=MOST_PINS) if pin.id != server.name
    }
    ours: dict[str, str] = {}
    for op in ctx.tools():
        if not op.server:
            ours[op.name] = op.help
        elif op.server != server.name:
            tools.setdefault(op.server, {})[original_of(op)] = str(op.tool.get("description", ""))
    return Others(server.name, own, tools, ours, (found.server.name for found in ctx.gateway.standings()))


def _agreed(ctx: Context, known: Pin | None, changed: list[str]) -> dict[str, list[Json]]:
    """What tools that have changed were when they were agreed to."""
    if known is None or not changed:
        return {}
    kept = kept_of(ctx, known)
    before = {**kept.seen(), **kept.agreed}
    return {name: before[name] for name in changed if name in before}


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
        found.append("another program than before is run under this name: its tools were agreed to again")
    if held:
        how = f"deedlog mcp accept {server.name} shows them and why"
        found.append(f"held back until a person accepts them: {_named(server, held)}; {how}")
    if added:
        found.append(f"new since it was agreed to: {_named(server, added)}")
    for name, codes in flags.items():
        what = name.strip("()") if name == INSTRUCTIONS else mounted_name(server.name, name)
        found.append(f"suspicious, {what}: {meaning(codes)}")
    return found


def _named(server: Server, names: list[str]) -> str:
    shown = ", ".join(mounted_name(server.name, name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
