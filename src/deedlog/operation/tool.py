"""An operation as agents are told of it: in full, or in the short form that the default list has.

The short form is what it takes to call a tool well. What it leaves out holds all the same: limits are
checked by `validate.py`, rare inputs are accepted, and `mcp_tools` describes a tool in full.
"""

from __future__ import annotations

import re

from deedlog.core.capability import CAPABILITIES
from deedlog.operation.define import Effect
from deedlog.operation.validate import camel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.operation.define import Operation

    Json = dict[str, Any]

KEY = "idempotency_key"
KEY_SCHEMA: Json = {
    "type": "string",
    "description": "Repeating a call with the same key does it once",
    "minLength": 1,
    "maxLength": 200,
}
WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\\W_a-zA-Z0-9]+")
FILLING = frozenset(("a", "an", "id", "its", "name", "of", "the", "this", "your"))
LEFT_OUT = (
    "additionalProperties",
    "default",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "maxItems",
    "pattern",
    "nullable",
)


def full(op: Operation) -> Json:
    if op.server:
        return op.tool
    tool: Json = {
        "name": op.name,
        "title": op.summary,
        "description": op.help,
        "inputSchema": op.input_schema,
        "annotations": hints(op),
    }
    if op.output_schema.get("properties"):
        tool["outputSchema"] = op.output_schema
    return tool | _everyday(op)


def short(op: Operation) -> Json:
    if op.server:
        return op.tool
    ours = op.capability in CAPABILITIES  # schemas that come from elsewhere are shown as they are
    schema = _short(op.input_schema, op.rare, words_of(op.name)) if ours else op.input_schema
    tool: Json = {"name": op.name, "description": op.summary, "inputSchema": schema}
    if op.effect is Effect.READ:
        tool["annotations"] = {"readOnlyHint": True}
    elif op.effect is Effect.WRITE:
        tool["annotations"] = {"destructiveHint": False}
    return tool | _everyday(op)


def _everyday(op: Operation) -> Json:
    return {"_meta": {"anthropic/alwaysLoad": True}} if op.everyday else {}


def hints(op: Operation) -> Json:
    return {
        "readOnlyHint": op.effect is Effect.READ,
        "destructiveHint": op.effect is Effect.DESTROY,
        "idempotentHint": op.effect is Effect.READ,
        "openWorldHint": op.passes,
    }


def _short(schema: Json, rare: list[str], said: frozenset[str], path: str = "") -> Json:
    """Without closing it: a client that checks arguments itself must let rare inputs through.

    `said` are the words of the tool's name: what is described by these and its own name alone is not described.
    """
    found = {word: value for word, value in schema.items() if word not in LEFT_OUT}
    description = found.pop("description", "").partition(" (")[0]
    if "enum" not in found and not words_of(description) <= said | words_of(path) | FILLING:
        found["description"] = description
    if "properties" in schema:
        places = {name: f"{path}.{name}" if path else name for name in schema["properties"]}
        found["properties"] = {
            name: _short(part, rare, said, places[name])
            for name, part in schema["properties"].items()
            if places[name] not in rare
        }
    if "items" in schema:
        found["items"] = _only_types(_short(schema["items"], rare, said, path))
    return found


def words_of(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in WORD.findall(text))


def _only_types(schema: Json) -> Json:
    """What is in a list is described by what the list is."""
    found = {word: value for word, value in schema.items() if word != "description"}
    if "properties" in schema:
        found["properties"] = {name: _only_types(part) for name, part in schema["properties"].items()}
    return found


def has_key(op: Operation) -> bool:
    """Whether an idempotency key is one of its own inputs."""
    known = op.input_schema.get("properties", {})
    return KEY in known or camel(KEY) in known


def with_key(op: Operation) -> Operation:
    """The operation, with the input that the capability `idempotency` gives what changes something."""
    if op.effect is Effect.READ or op.server or has_key(op):
        return op
    schema = op.input_schema
    name = camel(KEY) if op.camel else KEY
    return op.replace(input_schema={**schema, "properties": {**schema.get("properties", {}), name: KEY_SCHEMA}})
