"""How the arguments of a command are spelt on a command line, read from its JSON Schema."""

from __future__ import annotations

import re

from deedlog.operation.validate import CALLED, HUMP, snake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

IDS = re.compile("_ids?$")
LONG_TEXT = 1000  # longer text may come from a file
COLLECTIONS = ("array", "object")
FORMS = {"string": "TEXT", "integer": "N", "number": "N", "boolean": "true|false"}
MARKED = {"wf-": "workflow", "run-": "run"}  # how ids begin


def kebab(name: str) -> str:
    """`from_seq`, `fromSeq` and `from-seq` as the one spelling that help shows."""
    return HUMP.sub(r"-\1", name).lower().replace("_", "-")


def positionals(schema: Json) -> list[str]:
    """The arguments that are given by their place: what is required, else the only value beside switches.

    A command may name them itself.
    """
    if "byPlace" in schema:
        return list(schema["byPlace"])
    known: Json = schema.get("properties", {})
    values = [name for name, part in known.items() if part.get("type") != "boolean"]
    if len(values) == 1 and (len(known) == 1 or not repeats(known[values[0]])):
        return values
    return [name for name in schema.get("required", ()) if name in values]


def schema_of(command: Any) -> Json:
    """What a command takes, with what an operation says of the places of its arguments."""
    schema: Json = command.input_schema
    places = getattr(command, "by_place", ())
    return {**schema, "byPlace": places} if places else schema


def named_by(schema: Json, text: str) -> str:
    """The argument that `task-5` can only be meant for: the one that takes a task's number. So does a bare `5`.

    Likewise the ids of workflows and runs, which say what they are of.
    """
    found = CALLED.fullmatch(text)
    kind = (found[1] or "task") if found else next((kind for mark, kind in MARKED.items() if text.startswith(mark)), "")
    kinds = (f"{kind}_id", f"{kind}_ids") if kind else ()
    return next((name for name in schema.get("properties", {}) if snake(name) in kinds), "")


def kinds_named(schema: Json) -> list[str]:
    """What `named_by` understands."""
    ids = {name: IDS.sub("", snake(name)) for name in schema.get("properties", {})}
    return [kind for name, kind in ids.items() if kind != snake(name) and named_by(schema, f"{kind}-1") == name]


def options(schema: Json) -> dict[str, tuple[str, bool | None]]:
    """Each option's argument, and for a switch the value it stands for. What is in an argument has a dot: `a.b`."""
    found: dict[str, tuple[str, bool | None]] = {}
    for name, part in schema.get("properties", {}).items():
        if part.get("type") == "boolean":
            found[kebab(name)] = (name, True)
            found["no-" + kebab(name)] = (name, False)
        else:
            found[kebab(name)] = (name, None)
        for inner, (argument, switched) in options(part).items():
            found[f"{kebab(name)}.{inner}"] = (f"{name}.{argument}", switched)
    return found


def part_of(schema: Json, argument: str) -> Json:
    """The schema of an argument, or of what is in one."""
    for name in argument.split("."):
        schema = schema["properties"][name]
    return schema


def only_text(part: Json) -> str:
    """The one thing an object must have, where it is a text: then the text alone will do."""
    required = part.get("required", [])
    known = part.get("properties", {})
    return required[0] if len(required) == 1 and known.get(required[0], {}).get("type") == "string" else ""


def spelt(schema: Json, name: str) -> str:
    """An argument as help shows it: `NAME` by its place, else `--name`."""
    return kebab(name).upper() if name in positionals(schema) else "--" + kebab(name)


def usage(words: str, schema: Json) -> str:
    """The line that shows how a command is called."""
    required = schema.get("required", [])
    places = [(spelt(schema, name), name) for name in positionals(schema)]
    shown = [place if name in required else f"[{place}]" for place, name in places]
    if (
        not places
        and (name := next(iter(schema.get("properties", {})), ""))
        and named_by(schema, _id_like(name)) == name
    ):
        shown = [f"[{kebab(name).upper()}]"]
    return " ".join(["deedlog", words, *shown, "[OPTIONS]"])


def _id_like(name: str) -> str:
    """What looks like an id that an argument of this name takes."""
    kind = IDS.sub("", snake(name))
    return next((mark for mark, marked in MARKED.items() if marked == kind), f"{kind}-1")


def repeats(part: Json) -> bool:
    """A list whose items are simple takes one item each time it is given."""
    return part.get("type") == "array" and part.get("items", {}).get("type") not in (None, *COLLECTIONS)


def reads_files(part: Json) -> bool:
    """Whether `@file` and `-` stand for the content of a file and of standard input."""
    if repeats(part):
        return reads_files(part["items"])
    long_text = part.get("type") == "string" and part.get("maxLength", 0) >= LONG_TEXT
    return long_text or part.get("type") in COLLECTIONS or not {"type", "enum"} & set(part)


def form(part: Json) -> str:
    """What a value looks like: `N`, `a|b`, `[{"step": TEXT, "goal": TEXT}, …]`."""
    if "enum" in part:
        return "|".join(part["enum"])
    if part.get("type") == "array":
        return f"[{form(part.get('items', {}))}, …]"
    if part.get("type") == "object":
        inside = [f'"{name}": {form(inner)}' for name, inner in part.get("properties", {}).items()]
        return "{" + (", ".join(inside) or "…") + "}"
    return FORMS.get(part.get("type", ""), "JSON")
