"""What the tools, prompts and resources of mounted servers are called here.

`<server>__<tool>`, with at most 50 characters: clients put `mcp__deedlog__` in front, and some take no more than 64 in
all. A name that clients take is kept as it is; any other is cut and ends in a digest of the whole, the same at
every start. No two tools share a name: a server's part has no `__`, and what ends like a digest gets one itself.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 50
LONGEST_SERVER = 24
BETWEEN = "__"
SCHEME = "mcp://"
TOOL_DIGITS, SERVER_DIGITS = 6, 10  # of the digests; those of tools grow where two of one server are the same
SERVER = re.compile("[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*", re.ASCII)
TOOL = re.compile("[A-Za-z0-9_-]+", re.ASCII)
LIKE_DIGEST = re.compile("_[0-9a-f]{6,}$")
OTHER = re.compile("[^A-Za-z0-9-]+", re.ASCII)


def server_id(name: str) -> str:
    """The server's part of every name; the name itself where clients take it."""
    if len(name) <= LONGEST_SERVER and SERVER.fullmatch(name) and not LIKE_DIGEST.search(name):
        return name
    start = OTHER.sub("-", name)[: LONGEST_SERVER - SERVER_DIGITS - 1].strip("-")
    return f"{start or 'server'}_{_digest(name, SERVER_DIGITS)}"


def mounted_name(server: str, name: str, digits: int = TOOL_DIGITS) -> str:
    """What a tool or a prompt of a server is called here; see `mounted_names` for all of a server."""
    front = server_id(server) + BETWEEN
    room = LONGEST - len(front)
    if digits == TOOL_DIGITS and len(name) <= room and TOOL.fullmatch(name) and not LIKE_DIGEST.search(name):
        return front + name
    start = OTHER.sub("_", name)[: room - digits - 1].strip("_")
    return f"{front}{start or 'x'}_{_digest(f'{server}{BETWEEN}{name}', digits)}"


def mounted_names(server: str, names: Iterable[str]) -> dict[str, str]:
    """What all tools, or all prompts, of a server are called here, by the server's own names for them.

    Digests that are the same are made longer, those of all who have it: the order of the names does not matter.
    """
    left = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    digits = TOOL_DIGITS
    while left:
        given = {name: mounted_name(server, name, digits) for name in left}
        times: dict[str, int] = {}
        for ours in given.values():
            times[ours] = times.get(ours, 0) + 1
        found |= {name: ours for name, ours in given.items() if times[ours] == 1}
        left = [name for name in left if name not in found]
        digits += TOOL_DIGITS
    return found


def uri_of(server: str, uri: str) -> str:
    """What a resource of a server, or a template of resources, is called here."""
    return f"{SCHEME}{server_id(server)}/{uri}"


def origin(uri: str) -> tuple[str, str] | None:
    """The `server_id` of the server whose resource this is, and what that server calls it; None for one of ours."""
    server, slash, original = uri.removeprefix(SCHEME).partition("/")
    return (server, original) if uri.startswith(SCHEME) and slash and original else None


def _digest(text: str, digits: int) -> str:
    from hashlib import sha256  # only a name that is changed needs it

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
