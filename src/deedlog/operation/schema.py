"""JSON Schema every client accepts, read from a function's annotations: no $ref, no null arms, no unions."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, NotRequired, Required, get_args, get_origin, get_type_hints, is_typeddict

from deedlog.operation.define import PERSON, RARE, Field, Operation
from deedlog.operation.validate import camel

Json = dict[str, Any]
PORTABLE = "use str, int, float, bool, Literal of text, list[…], dict[…, …] or a TypedDict, each also with `| None`"
PLAIN: dict[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Any: {},
    object: {},
}


def schema_of(hint: Any, *, answers: bool = False) -> Json:
    """The portable schema of one type. What may be null in `answers` has no type: clients check them."""
    if hint in PLAIN:
        return dict(PLAIN[hint])
    if is_typeddict(hint):
        return _object_of(hint, answers=answers)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Required, NotRequired):
        return schema_of(args[0], answers=answers)
    if origin is typing.Annotated:
        return _annotated(args, answers=answers)
    if origin is Literal and all(isinstance(choice, str) for choice in args):
        return {"type": "string", "enum": list(args)}
    if origin is list:
        return {"type": "array", "items": schema_of(args[0], answers=answers)}
    if origin is dict:
        return {"type": "object"}
    if origin in (types.UnionType, typing.Union):
        arms = [arm for arm in args if arm is not type(None)]
        if len(arms) == 1:
            found = schema_of(arms[0], answers=answers)
            return {} if answers else found
    raise TypeError(f"{hint!r} has no portable schema: {PORTABLE}")


def _annotated(args: tuple[Any, ...], *, answers: bool) -> Json:
    schema = schema_of(args[0], answers=answers)
    for extra in args[1:]:
        if isinstance(extra, Field):
            schema |= extra.schema
    return schema


def _object_of(hint: Any, *, answers: bool) -> Json:
    hints = get_type_hints(hint, include_extras=True)
    # `__required_keys__` does not see NotRequired in annotations that are still text
    required = [name for name, h in hints.items() if hint.__total__ and get_origin(h) is not NotRequired]
    schema: Json = {"type": "object", "properties": {name: schema_of(h, answers=answers) for name, h in hints.items()}}
    return schema | ({"required": required} if required else {})


def closed(schema: Json) -> Json:
    """An input's schema, which says at every level that unknown names are refused."""
    if "items" in schema:
        schema = {**schema, "items": closed(schema["items"])}
    if "properties" not in schema:
        return schema
    inside = {name: closed(part) for name, part in schema["properties"].items()}
    return {**schema, "properties": inside, "additionalProperties": False}


def _take(mark: str, schema: Json, path: str = "") -> list[str]:
    """Take the marks of rare inputs, or of those that need a person, out of a schema; returns where they were."""
    found: list[str] = []
    for name, part in schema.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        found += [here] if part.pop(mark, False) else _take(mark, part, here)
    return found + (_take(mark, schema["items"], path) if "items" in schema else [])


def _input_of(operation: str, name: str, hint: Any) -> Json:
    try:
        schema = schema_of(hint)
    except TypeError as error:
        raise TypeError(f"operation {operation!r}, input {name!r}: {error}") from error
    if not schema.get("description"):
        raise TypeError(f'operation {operation!r}, input {name!r}: describe it with Annotated[…, Field("…")]')
    return schema


def describe(function: Callable[..., Any]) -> Operation:
    """The operation a marked function defines."""
    mark = function.__operation__  # type: ignore[attr-defined]
    name = function.__name__
    doc = inspect.getdoc(function)
    if not doc:
        raise TypeError(f"operation {name!r} has no docstring")
    hints = get_type_hints(function, include_extras=True)
    _, *parameters = inspect.signature(function).parameters.values()
    properties: Json = {}
    required = []
    for parameter in parameters:
        if parameter.kind is not parameter.KEYWORD_ONLY:
            raise TypeError(f"operation {name!r}: make {parameter.name!r} keyword-only")
        published = (camel(parameter.name) if mark.get("camel") else parameter.name).removesuffix("_")
        properties[published] = _input_of(name, parameter.name, hints[parameter.name])
        if parameter.default is parameter.empty:
            required.append(published)
        elif parameter.default is not None:
            properties[published]["default"] = parameter.default
    input_schema: Json = {"type": "object", "properties": properties}
    if required:
        input_schema["required"] = required
    rare, by_person = _take(RARE, input_schema), _take(PERSON, input_schema)
    if hidden := [place for place in by_person if "." in place or place in required]:
        raise TypeError(f"operation {name!r}: only an optional input can need a person: {', '.join(hidden)}")
    if needed := set(required).intersection(rare):
        raise TypeError(f"operation {name!r}: what is required cannot be rare: {', '.join(sorted(needed))}")
    try:
        output_schema = schema_of(hints["return"], answers=True)
    except TypeError as error:
        raise TypeError(f"operation {name!r}, its answer: {error}") from error
    return Operation(
        **{
            "input_schema": closed(input_schema),
            "output_schema": output_schema,
            "rare": rare,
            "by_person": by_person,
            **mark,
            "examples": list(mark.get("examples", ())),
            "columns": list(mark.get("columns", ())),
            "templates": list(mark.get("templates", ())),
            "words": mark["words"] or " ".join(name.split("_", 1)).replace("_", "-"),
        },
        name=name,
        help=doc,
        module=function.__module__,
        run=function,
    )
