"""Words of a command line, read by the JSON Schema of what they are for.

Required arguments are given in order, the others as `--options`; every argument also has an
option of its name, in any spelling, and so has what is in an object: `--outcome.summary`. An
only value needs no option. Written by hand because argparse costs a third of a start, and
because commands and operations are described alike.
"""

from __future__ import annotations

import json
import sys

from deedlog.core.errors import Invalid
from deedlog.core.value import Value
from deedlog.core.words import did_you_mean
from deedlog.faces.cli.spelling import (
    COLLECTIONS,
    form,
    kebab,
    kinds_named,
    named_by,
    only_text,
    options,
    part_of,
    positionals,
    reads_files,
    repeats,
    spelt,
    usage,
)
from deedlog.operation import validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

SHORT = {"-C": "directory", "-h": "help"}
SWITCHES = ("enable-", "disable-")


class Given(Value):
    """What was given: to the command itself, beside it to any command, and words left over."""

    own: Json
    shared: Json
    rest: list[str]


def parse(words: list[str], own: Json, shared: Json, *, stop: bool = False) -> Given:
    """Read `words`; with `stop`, only up to the first that is not an option."""
    return _Reading(words, own, shared).read(stop=stop)


def require(words: str, schema: Json, given: Json) -> None:
    """Refuse a command to which something is missing, in the words of its help."""
    for name in schema.get("required", ()):
        if name not in given:
            hint = "usage: " + usage(words, schema)
            raise Invalid(f"{spelt(schema, name)} is required", hint=hint, data={"field": name})


class _Reading:
    def __init__(self, words: list[str], own: Json, shared: Json) -> None:
        self._words = list(words)
        self._schemas = (own, shared)
        self._options = (options(own), options(shared))
        self._given: tuple[Json, Json] = ({}, {})
        self._places: list[str] = []

    def read(self, *, stop: bool) -> Given:
        while self._words:
            if stop and not (self._words[0].startswith("-") and len(self._words[0]) > 1):
                break
            word = self._words.pop(0)
            if word == "--":
                self._places += self._words
                break
            if word.startswith("-") and word != "-":
                self._option(word)
            else:
                self._places.append(word)
        else:
            stop = False
        if not stop:
            self._assign()
        for schema, given in zip(self._schemas, self._given, strict=True):
            _put_together(schema, given)
        return Given(own=self._given[0], shared=self._given[1], rest=self._words if stop else [])

    def _option(self, word: str) -> None:
        spelling, equals, text = word.partition("=")
        name = SHORT.get(spelling) or (kebab(spelling[2:]) if spelling.startswith("--") else "")
        for known, schema, given in zip(self._options, self._schemas, self._given, strict=True):
            if name in known:
                argument, switched = known[name]
                if switched is None:
                    self._take(schema, given, argument, text if equals else self._next(spelling))
                elif equals:
                    raise Invalid(f"{spelling} takes no value", data={"field": spelling})
                else:
                    given[argument] = switched
                return
        for switch in SWITCHES:
            if name.startswith(switch) and not equals:
                self._given[1].setdefault(switch[:-1], []).append(name.removeprefix(switch))
                return
        names = ["--" + known for table in self._options for known in table]
        hint = did_you_mean(spelling, names, "put -- before a value that begins with -; --help lists the options")
        raise Invalid(f"there is no option {spelling!r} here", hint=hint, data={"field": spelling})

    def _next(self, spelling: str) -> str:
        if not self._words:
            raise Invalid(f"{spelling} needs a value", hint="--help says which")
        word = self._words[0]
        if word.startswith("--") and any(kebab(word[2:]) in known for known in self._options):
            raise Invalid(f"{spelling} needs a value", hint=f"if {word!r} is the value, write {spelling}={word}")
        return self._words.pop(0)

    def _assign(self) -> None:
        own, given = self._schemas[0], self._given[0]
        free = [name for name in positionals(own) if name not in given]
        for name in free:
            if self._places and repeats(own["properties"][name]) and name == free[-1]:
                taken, self._places = self._places, []
            else:
                taken, self._places = self._places[:1], self._places[1:]
            for text in taken:
                self._take(own, given, name, text)
        for text in self._places:
            if not (name := named_by(own, text)):
                raise _too_many(own, text)
            self._take(own, given, name, text)

    def _take(self, schema: Json, given: Json, name: str, text: str) -> None:
        part, shown = part_of(schema, name), spelt(schema, name)
        if repeats(part):
            taken = given.setdefault(name, [])
            listed = _listed(part["items"], text)
            texts = text.split(",") if part["items"].get("type") == "integer" else [text]
            for value in [value_of(part["items"], one, shown) for one in texts] if listed is None else listed:
                if not _is_called(part["items"], value):
                    validate.arguments({"properties": {shown: part["items"]}}, {shown: value})  # names it, not its nth
                taken.append(value)
        elif name in given:
            raise Invalid(f"{shown}: given twice", data={"field": shown})
        else:
            given[name] = value_of(part, text, shown)


def _listed(items: Json, text: str) -> list[Any] | None:
    """The values of a JSON array that was given at once; None for one value, which may begin like one: `[ab]*.py`."""
    if not text.lstrip().startswith("["):
        return None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    whole = items.get("type") != "string" or all(isinstance(value, str) for value in values)
    return values if whole else None


def _put_together(schema: Json, given: Json) -> None:
    """Put what was given of an object part by part into it."""
    for argument in [name for name in given if "." in name]:
        name, _, inner = argument.partition(".")
        whole = given.setdefault(name, {})
        if not isinstance(whole, dict) or inner in whole:
            raise Invalid(f"{spelt(schema, argument)}: given twice", data={"field": spelt(schema, argument)})
        given[name] = {**whole, inner: given.pop(argument)}
    for name, part in schema.get("properties", {}).items():
        if isinstance(given.get(name), dict) and "properties" in part:
            _put_together(part, given[name])


def value_of(part: Json, text: str, shown: str) -> Any:
    """The value a text stands for; whether it is allowed is for the operation to say."""
    kind = part.get("type")
    if reads_files(part):
        text = _content(text, shown)
    if kind == "string":
        return text
    if _is_called(part, text):
        return text
    if (name := only_text(part)) and not text.lstrip().startswith("{"):
        return {name: text}
    try:
        return json.loads(text)
    except ValueError as error:
        if kind is None:
            return text
        wanted = "JSON" if kind in COLLECTIONS else "a whole number" if kind == "integer" else "a number"
        hint = f"write {shown} '{form(part)}', or @file" if kind in COLLECTIONS else f"write {shown} {_range(part)}"
        raise Invalid(f"{shown}: must be {wanted}, not {text[:80]!r}", hint=hint, data={"field": shown}) from error
    except RecursionError as error:
        raise Invalid(f"{shown}: is nested too deeply", data={"field": shown}) from error


def _too_many(schema: Json, text: str) -> Invalid:
    names = " ".join(spelt(schema, name) for name in positionals(schema)) or "none"
    kinds = [kind for kind in kinds_named(schema) if text.isdigit()]
    hint = f"write {' or '.join(f'{kind}-{text}' for kind in kinds)}" if kinds else f"arguments taken by place: {names}"
    if any(schema["properties"][name].get("type") == "string" for name in positionals(schema)):
        hint += "; put a text of several words in quotes"
    return Invalid(f"{text!r} is one argument too many", hint=hint)


def _is_called(part: Json, value: object) -> bool:
    """Whether a whole number is given by the name of what it numbers, `task-5`: the operation knows what that is."""
    found = validate.CALLED.fullmatch(value) if part.get("type") == "integer" and isinstance(value, str) else None
    return bool(found and found[1])


def _range(part: Json) -> str:
    low, high = part.get("minimum"), part.get("maximum")
    limits = [f"from {low}"] * (low is not None) + [f"to {high}"] * (high is not None)
    return " ".join(["N", *limits])


def _content(text: str, shown: str) -> str:
    """A text itself, or what the file or stream it names holds. `@@` stands for one `@`."""
    if text.startswith("@@"):
        return text[1:]
    if text != "-" and not text.startswith("@"):
        return text
    try:
        if text == "-":
            content = sys.stdin.buffer.read()
        else:
            with open(text[1:], "rb") as file:
                content = file.read()
        return content.decode().rstrip("\r\n")
    except OSError as error:
        hint = "write @@ for a text that begins with @"
        raise Invalid(f"{shown}: {text[1:]!r} cannot be read: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{shown}: {text!r} is not UTF-8 text", data={"field": shown}) from error
