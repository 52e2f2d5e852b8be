"""Check arguments against the schema that is published, so that what is said is what is meant.

Both spellings of a name are accepted (`taskId`, `task_id`), a thing's URI or its number for its id, `task-5`
for its number, null for an optional argument equals absent, and a mistake is named with the place it was made.
"""

from __future__ import annotations

import re

from deedlog.core.data import MOST_NUMBER, flaw
from deedlog.core.errors import Invalid
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Json = dict[str, Any]

DEEPEST = 32
HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
ID, IDS = re.compile(r"(_id|Id)$"), re.compile(r"(_ids|Ids)$")
CALLED = re.compile(r"(?:([a-z]+)(?:-|://))?([0-9]{1,16})")
CALLABLE = ("task", "session")  # what people call by numbers
LAST_WORD = re.compile("[A-Za-z][a-z0-9]*$")
SNAKE = re.compile(r"_([a-z0-9])")
BY_COMMAS = "Comma-separated"  # what the description of a text begins with that may also be given as a list


def arguments(
    schema: Json, given: Mapping[str, object], noun: str = "", instead: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The arguments, complete with defaults, or `Invalid` naming the first mistake; an `id` is that of a `noun`.

    `instead` says of names that are no arguments what to do instead.
    """
    if not isinstance(given, dict):
        return _object(schema, given, "", 0)
    for name, hint in (instead or {}).items():
        if not {name, snake(name)}.isdisjoint(given):
            raise not_here(name, hint)
    return _object(schema, {name: _as_number(schema, name, value, noun) for name, value in given.items()}, "", 0)


def _as_number(schema: Json, name: str, value: object, noun: str) -> object:
    """For a number by which things are called both `task-5` and "5" mean 5."""
    known: Json = schema.get("properties", {})
    part: Json = next((known[spelling] for spelling in spellings(name) if spelling in known), {})
    if part.get("type") == "array" and part["items"].get("type") == "integer" and isinstance(value, list):
        of = IDS.sub("", name)
        return [_called(name, item, noun if of == name else LAST_WORD.findall(of)[0].lower()) for item in value]
    if part.get("type") != "integer" or not (name == "id" or ID.search(name)):
        return value
    if name == "id":
        return _called(name, value, noun)
    kind = LAST_WORD.findall(ID.sub("", name))[0].lower()
    return _called(name, value, noun if kind == "parent" else kind)  # what a task is a part of is a task


def _called(name: str, value: object, kind: str) -> object:
    found = CALLED.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found or found[1] in (None, kind):
        return int(found[2]) if found else value
    if kind in CALLABLE and found[1] in CALLABLE:
        raise _wrong(name, f"{found[0]} is a {found[1]}, not a {kind}", hint=f"{kind}_list names them")
    return value


def camel(name: str) -> str:
    return SNAKE.sub(lambda m: m[1].upper(), name)


def snake(name: str) -> str:
    return HUMP.sub(r"_\1", name).lower()


def not_here(name: str, hint: str) -> Invalid:
    """The refusal of an argument that people expect and that is not there."""
    return _wrong(name, "is not set here", hint)


def _wrong(where: str, message: str, hint: str = "") -> Invalid:
    name = where or "arguments"
    return Invalid(f"{name}: {message}", hint=hint, data={"field": name})


def _object(schema: Json, given: object, where: str, depth: int) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise _wrong(where, f"must be an object, not {_type_name(given)}")
    known: Json | None = schema.get("properties")
    if known is None:
        _storable(given, where, depth)
        return dict(given)
    found: dict[str, Any] = {}
    for spelling, value in given.items():
        name = spelling if spelling in known else _known_name(spelling, known, where)
        if name in found:
            raise _wrong(_at(where, name), "given twice, in two spellings")
        if value is not None:
            meant = _as_id(name, value) if known[name].get("type") == "string" else value
            found[name] = _value(known[name], meant, _at(where, name), depth + 1)
    for name, part in known.items():
        if name not in found:
            if name in schema.get("required", ()):
                raise _wrong(_at(where, name), "is required")
            if "default" in part:
                found[name] = part["default"]
    return found


def spellings(name: str) -> tuple[str, str, str]:
    """A name as it was written, and in either style."""
    return name, snake(name), camel(name)


def _known_name(spelling: str, known: Json, where: str) -> str:
    for name in spellings(spelling):
        if name in known:
            return name
    names = ", ".join(known) or "none"
    raise _wrong(_at(where, spelling[:80]), "is not known", did_you_mean(spelling[:80], known, f"known: {names}"))


def _as_id(name: str, value: object) -> object:
    """For an argument `task_id` or `parent_task_id` both `task://X` and X mean X, and both 5 and "5" mean "5"."""
    kind = ID.sub("", name)
    if kind == name or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.removeprefix(LAST_WORD.findall(kind)[0].lower() + "://")
    if isinstance(value, int | float) and 0 <= value <= MOST_NUMBER and value == int(value):
        return str(int(value))
    return value


def _at(where: str, name: str | int) -> str:
    if isinstance(name, int):
        return f"{where}[{name}]"
    return f"{where}.{name}" if where else name


def _value(schema: Json, value: Any, where: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise _wrong(where, "is nested too deeply")
    check = CHECKS.get(schema.get("type", ""))
    if check is None:
        _storable(value, where, depth)
        return value
    value = check(schema, value, where, depth)
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(schema["enum"])
        raise _wrong(where, f"{value!r:.80} is not one of: {choices}", did_you_mean(str(value)[:80], schema["enum"]))
    return value


def _string(schema: Json, value: Any, where: str, _depth: int) -> str:
    if isinstance(value, list) and schema.get("description", "").startswith(BY_COMMAS):
        value = ",".join(_string({}, item, _at(where, place), 0) for place, item in enumerate(value))
    if not isinstance(value, str):
        raise _wrong(where, f"must be text, not {_type_name(value)}")
    _storable(value, where)
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if least and len(value.strip()) < least:
        raise _wrong(where, "must not be empty" if least == 1 else f"must have at least {least} characters")
    if len(value) > most:
        raise _wrong(where, f"has {len(value)} characters, at most {most} are allowed")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise _wrong(where, f"{value!r:.80} does not have the form {schema['pattern']}")
    return value


def _number(schema: Json, value: Any, where: str, _depth: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(where, f"must be a number, not {_type_name(value)}")
    _storable(value, where)
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        low, high = schema.get("minimum", "any"), schema.get("maximum", "any")
        raise _wrong(where, f"{value} is out of range ({low} to {high})")
    return value


def _integer(schema: Json, value: Any, where: str, depth: int) -> int:
    number = _number(schema, value, where, depth)
    if int(number) != number:
        raise _wrong(where, f"must be a whole number, not {value}")
    return int(number)


def _boolean(_schema: Json, value: Any, where: str, _depth: int) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, f"must be true or false, not {_type_name(value)}")
    return value


def _array(schema: Json, value: Any, where: str, depth: int) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(where, f"must be a list, not {_type_name(value)}")
    if len(value) > schema.get("maxItems", MOST_ITEMS):
        raise _wrong(where, f"has {len(value)} items, at most {schema.get('maxItems', MOST_ITEMS)} are allowed")
    return [_value(schema.get("items", {}), item, _at(where, i), depth + 1) for i, item in enumerate(value)]


def _storable(value: Any, where: str, depth: int = 0) -> None:
    if wrong := flaw(value, DEEPEST - depth):
        raise _wrong(where, wrong)


def _type_name(value: object) -> str:
    names = {str: "text", bool: "true/false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


MOST_ITEMS = 1_000
CHECKS: dict[str, Callable[[Json, Any, str, int], Any]] = {
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
}
