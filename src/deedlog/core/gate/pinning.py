"""What a server's tools were when they were agreed to, and what has become of them since.

A definition is what a model or a client acts upon: all that is said of a tool but its icons. The order of keys does
not matter, nor that of the words in `required`, `enum` and `type`, which some servers write in another order at every
start.
"""

from __future__ import annotations

from deedlog.core.entry import digest
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from deedlog.core.gate.server import Server

    Json = dict[str, Any]

BESIDE = ("icons",)
PROGRAM = ("transport", "command", "args", "cwd", "url")
WITHOUT_ORDER = frozenset({"required", "enum", "type"})


class Compared(Value):
    """Tools whose definitions are others now, and those that were not there; in the order of their names."""

    changed: list[str]
    added: list[str]


def launch_hash(server: Server) -> str:
    """What stands for the program that is run, or the address that is reached; references count as they are written.

    With other variables or headers it is the same one: a new key is no consent to other tools.
    """
    launch = server.launch
    return digest({part: launch[part] for part in PROGRAM if part in launch})


def definition(tool: Mapping[str, Any]) -> Json:
    return {part: said for part, said in tool.items() if part not in BESIDE and said is not None}


def definitions(tools: Iterable[Any]) -> dict[str, list[Json]]:
    """All definitions by name: a server may have several of one name, and agreeing to one must not cover another."""
    found: dict[str, list[Json]] = {}
    for tool in tools:
        if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
            found.setdefault(name, []).append(definition(tool))
    return found


def fingerprints(tools: Iterable[Any]) -> dict[str, str]:
    return {name: fingerprint(several) for name, several in definitions(tools).items()}


def fingerprint(several: list[Json]) -> str:
    hashes = sorted(digest(_ordered(one)) for one in several)
    return hashes[0] if len(hashes) == 1 else digest(hashes)


def compared(agreed: Mapping[str, str], now: Mapping[str, str]) -> Compared:
    """A tool that went, and one that is again as it was, need nobody's consent."""
    return Compared(
        changed=sorted(name for name, hashed in now.items() if agreed.get(name, hashed) != hashed),
        added=sorted(name for name in now if name not in agreed),
    )


def _ordered(data: Any, within: str = "") -> Any:
    if isinstance(data, dict):
        return {str(key): _ordered(value, str(key)) for key, value in data.items()}
    if not isinstance(data, list):
        return data
    found = [_ordered(value) for value in data]
    is_plain = within in WITHOUT_ORDER and all(isinstance(value, str) for value in found)
    return sorted(found) if is_plain else found
