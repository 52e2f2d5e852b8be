"""JSON Pointer (RFC 6901): a place in JSON data, read and changed there without touching the data that was given."""

from __future__ import annotations

import re

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDEX = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)
ESCAPED = re.compile(r"~(?![01])")
HINT = "paths are as RFC 6901 has them: /nodes/0/label, /nodes/- for a new one"


def parsed(text: str) -> list[str]:
    """The names and places that a pointer leads through."""
    if text and not text.startswith("/"):
        raise Invalid(f"path {text[:40]!r} does not begin with /", hint=HINT)
    if ESCAPED.search(text):
        raise Invalid(f"path {text[:40]!r} has a ~ that means nothing", hint="write ~0 for ~ and ~1 for /")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


class Place:
    def __init__(self, document: Any, path: list[str]) -> None:
        self.document = document
        self.path = path
        self.told = ("/" + "/".join(path))[:60] if path else "the whole"

    def value(self) -> Any:
        found = self.document
        for part in self.path:
            found = self._inside(found, part)
        return found

    def added(self, value: Any) -> Any:
        return self._changed(self.document, self.path, "add", value)

    def replaced(self, value: Any) -> Any:
        return self._changed(self.document, self.path, "replace", value)

    def removed(self) -> Any:
        if not self.path:
            raise Invalid("the whole cannot be removed")
        return self._changed(self.document, self.path, "remove", None)

    def _changed(self, here: Any, path: list[str], op: str, value: Any) -> Any:
        if not path:
            return value
        first, rest = path[0], path[1:]
        if rest:
            inner = self._changed(self._inside(here, first), rest, op, value)
            return {**here, first: inner} if isinstance(here, dict) else _with(here, int(first), [inner])
        if isinstance(here, list) and op == "add":
            at = len(here) if first == "-" else self._at(here, first, len(here))
            return [*here[:at], value, *here[at:]]
        if not isinstance(here, dict) or op != "add":
            self._inside(here, first)
        if isinstance(here, list):
            return _with(here, int(first), [] if op == "remove" else [value])
        rest_of = {name: found for name, found in here.items() if name != first or op != "remove"}
        return rest_of if op == "remove" else {**rest_of, first: value}

    def _inside(self, here: Any, part: str) -> Any:
        if isinstance(here, dict) and part in here:
            return here[part]
        if isinstance(here, list):
            return here[self._at(here, part, len(here) - 1)]
        raise Invalid(f"there is nothing at {self.told!r}", hint=HINT)

    def _at(self, here: list[Any], part: str, last: int) -> int:
        if not INDEX.fullmatch(part) or int(part) > last:
            raise Invalid(f"there is nothing at {self.told!r}: the list has {len(here)} items", hint=HINT)
        return int(part)


def _with(here: list[Any], at: int, items: list[Any]) -> list[Any]:
    return [*here[:at], *items, *here[at + 1 :]]
