"""What a server offers beside tools (prompts, resources, templates, instructions), and the key of each where Deedlog
holds something back. No tool has a name that begins like a key.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    Json = dict[str, Any]

INSTRUCTIONS = "(instructions)"
PARTS = {
    "prompts": ("(prompt) ", "name"),
    "resources": ("(resource) ", "uri"),
    "templates": ("(template) ", "uriTemplate"),
}
ASKED_BY = {"prompts/get": "prompts", "resources/read": "resources", "resources/subscribe": "resources"}
READ = ("name", "title", "description", "arguments")  # its address is none of it


def is_key(name: str) -> bool:
    return name.startswith("(")


def key_of(part: str, row: Json) -> str:
    begin, field = PARTS[part]
    return f"{begin}{row.get(field)}"


def asked_for(method: str, params: Json) -> str:
    """The key of what a request is about; for a call the tool's name. Empty where it is about nothing in particular."""
    if method == "tools/call":
        return str(params.get("name"))
    return key_of(ASKED_BY[method], params) if method in ASKED_BY else ""


def things(offer: Any) -> Iterator[tuple[str, Json]]:
    """Everything beside tools with its key; the instructions as if they were a row."""
    if offer.instructions:
        yield INSTRUCTIONS, {"description": offer.instructions}
    for part in PARTS:
        for row in getattr(offer, part):
            if isinstance(row, dict):
                yield key_of(part, row), row


def read(row: Json) -> Json:
    """What of it is meant to be read."""
    return {name: row[name] for name in READ if name in row}


def without(offer: Any, held: Collection[str]) -> Any:
    """The offer without what is held back."""
    kept: Json = {part: [row for row in getattr(offer, part) if key_of(part, row) not in held] for part in PARTS}
    kept["tools"] = [tool for tool in offer.tools if tool.get("name") not in held]
    if INSTRUCTIONS in held:
        kept["instructions"] = ""
    return offer.replace(**kept)
