"""An operation as agents are told of it: in full, or in the short form that the default list has.

The short form is what it takes to call a tool well. What it leaves out holds all the same: limits are
checked by `validate.py`, rare inputs are accepted, and `mcp_tools` describes a tool in full.
"""

from __future__ import annotations

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
    schema = _short(op.input_schema, op.rare) if ours else op.input_schema
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


def _short(schema: Json, rare: list[str], path: str = "") -> Json:
    """Without closing it: a client that checks arguments itself must let rare inputs through."""
    found = {word: value for word, value in schema.items() if word not in LEFT_OUT}
    if "enum" in found:
        found.pop("description", None)  # its name and the values say enough
    elif "description" in found:
        found["description"] = found["description"].partition(" (")[0]
    if "properties" in schema:
        places = {name: f"{path}.{name}" if path else name for name in schema["properties"]}
        found["properties"] = {
            name: _short(part, rare, places[name])
            for name, part in schema["properties"].items()
            if places[name] not in rare
        }
    if "items" in schema:
        found["items"] = _only_types(_short(schema["items"], rare, path))
    return found


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
