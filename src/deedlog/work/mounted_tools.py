"""The tools of a mounted server as operations: described as that server does, under our names, and handed on."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Denied
from deedlog.core.gate.naming import mounted_names, uri_of
from deedlog.operation.define import Effect, Operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.gate.server import Server
    from deedlog.ports import Context, Offer

    Json = dict[str, Any]

CAPABILITY = "gateway"
ORIGIN = "deedlog/origin"  # in `_meta` of a mounted tool: which server's it is, and what that server calls it
LOADED = "anthropic/alwaysLoad"
MOST_LOADED = 16_000  # characters of all definitions together, up to which clients are asked to have them at hand
EMPTY: Json = {"type": "object"}
SHAPES: dict[str, type] = {  # clients refuse a whole list for one tool in which one of these is something else
    "title": str,
    "description": str,
    "inputSchema": dict,
    "outputSchema": dict,
    "annotations": dict,
    "execution": dict,
    "icons": list,
    "_meta": dict,
}
OURS = ("io.modelcontextprotocol/", "deedlog/")  # what `_meta` says between the client and us


def operations(server: Server, offer: Offer, held: Sequence[str], state: str = "") -> list[Operation]:
    """The operations of a server that is mounted. `held` tools are not among them; `state` says what is wrong with it.

    They change nothing of ours, so they are reads here; what they do elsewhere, only that server knows.
    """
    tools = {str(tool["name"]): tool for tool in offer.tools if isinstance(tool.get("name"), str)}
    names = mounted_names(server.name, tools)
    loaded = not server.boot and sum(len(str(tool)) for tool in tools.values()) <= MOST_LOADED
    return [
        _operation(server, name, described(server, names[name], tool, state=state, loaded=loaded))
        for name, tool in tools.items()
        if name not in held
    ]


def described(server: Server, ours: str, tool: Json, *, state: str = "", loaded: bool = False) -> Json:
    """The definition as the server gave it, with our name; what no client could read is left out."""
    found: Json = {key: value for key, value in tool.items() if isinstance(value, SHAPES.get(key, object))}
    for key in ("inputSchema", "outputSchema"):
        if key in found and found[key].get("type") != "object":
            del found[key]
    meta: Json = {**found.get("_meta", {}), ORIGIN: {"server": server.name, "tool": tool["name"]}}
    if loaded:  # whoever mounted it wants to call it now
        meta.setdefault(LOADED, True)
    if state:
        found["description"] = f"[{state}] {found.get('description', '')}".rstrip()
    return {"inputSchema": EMPTY, **found, "name": ours, "_meta": meta}


def original_of(op: Operation) -> str:
    """What its server calls a mounted tool."""
    return str(op.tool["_meta"][ORIGIN]["tool"])


def _operation(server: Server, name: str, tool: Json) -> Operation:
    return Operation(
        name=tool["name"],
        help=tool.get("description", ""),
        effect=Effect.READ,
        capability=CAPABILITY,
        callers=ANYONE,
        words="",
        input_schema={},
        output_schema={},
        run=_handing_on(server, name),
        waits=True,
        passes=True,
        server=server.name,
        tool=tool,
    )


def _handing_on(server: Server, name: str) -> Callable[[Context, Json], Json]:
    def run(ctx: Context, arguments: Json) -> Json:
        from deedlog.work.letting import let  # only a call needs it

        try:
            let(ctx, server, name, arguments)
        except Denied as refusal:
            ctx.gateway.refused(server.name, name, arguments, ctx.actor, refusal.message)
            raise
        params = with_meta({"name": name, "arguments": arguments}, ctx.peer.meta)
        return with_our_uris(server.name, ctx.gateway.ask(server.name, "tools/call", params, ctx.peer, ctx.actor))

    return run


def with_meta(params: Json, meta: Json) -> Json:
    """A request's parameters with what the client says in `_meta`, but for what is between the client and us."""
    passed = {key: value for key, value in meta.items() if key != "progressToken" and not key.startswith(OURS)}
    return {**params, "_meta": passed} if passed else params


def with_our_uris(server: str, result: Json) -> Json:
    """A result in which the resources of the server have the URIs they have here. All else is as it was."""
    found = dict(result)
    for key in ("content", "contents", "messages"):
        if isinstance(parts := result.get(key), list):
            found[key] = [_with_our_uri(server, part) for part in parts]
    return found


def _with_our_uri(server: str, part: Any) -> Any:
    """A part of a result: a link, an embedded resource, the content of one, or a message that has one of them."""
    if not isinstance(part, dict):
        return part
    found = dict(part)
    if isinstance(part.get("uri"), str) and part.get("type", "resource_link") == "resource_link":
        found["uri"] = uri_of(server, part["uri"])
    for key in ("resource", "content"):
        if isinstance(inner := part.get(key), dict):
            found[key] = _with_our_uri(server, inner)
        elif isinstance(inner, list):
            found[key] = [_with_our_uri(server, one) for one in inner]
    return found
