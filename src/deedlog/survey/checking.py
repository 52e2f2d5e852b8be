"""What a project's `clarify.toml` names and is not there, and the line of the file that a fault is in."""

from __future__ import annotations

import re

from deedlog.core.clarify.values import OTHER
from deedlog.core.words import nearest
from deedlog.survey.compiling import Fault, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

ECOSYSTEMS = (
    *("javascript", "typescript", "python", "go", "rust", "java", "kotlin", "scala", "dotnet", "php", "ruby", "elixir"),
    *("dart", "swift", "cpp", "terraform", "kubernetes", "docker"),
)
_LONGEST_NAME = 60
_KEY = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[\w-]+)\s*(\.|=|]|$)""")


def refuse_loose_ends(own: dict[str, Any], merged: dict[str, Any]) -> None:
    """Refuse what `own` names that neither it nor we have. What is merged is otherwise ours, and whole."""
    fields = _fields(merged)
    technologies = [one["name"] for one in merged["technologies"]]
    for one in own["technologies"]:
        place = f"technologies.{one['area']}.{one['field']}.{one['name']}"
        for name in one["ecosystems"]:
            _refuse_unknown(f"{place}.ecosystems", "the ecosystem", name, ECOSYSTEMS)
        for name in one.get("implies", ()):
            _refuse_unknown(f"{place}.implies", "the technology", name, technologies)
    for one in own["topics"]:
        place = f"areas.{one['area']}.topics.{one['field']}"
        for key in ("asks", "then"):
            for name in one.get(key, ()):
                _refuse_unknown(f"{place}.{key}", "the question", name, merged["questions"])
        for name in one.get("settled", ()):
            _refuse_unknown(f"{place}.settled", "the field", name, fields)
    for name in own["questions"]:
        _check_question(f"questions.{name}", merged["questions"][name], fields, technologies)


def _check_question(place: str, given: dict[str, Any], fields: Collection[str], technologies: Collection[str]) -> None:
    if not given.get("text"):
        raise Fault(f"{place}.text", "is missing")
    if "sets" in given:
        _refuse_unknown(f"{place}.sets", "the field", given["sets"], fields)
    for name in given.get("by", {}):
        _refuse_unknown(f"{place}.by.{name}", "the ecosystem", name, ECOSYSTEMS)
    for name in given.get("having", {}):
        _refuse_unknown(f"{place}.having.{name}", "the technology", name, technologies)
    _check_options(place, given, technologies)


def _check_options(place: str, given: dict[str, Any], technologies: Collection[str]) -> None:
    lists = dict(_lists(place, given))
    for where, options in lists.items():
        if not options:
            raise Fault(where, "is empty: give at least one option")
        if len({option.casefold() for option in options}) < len(options):
            raise Fault(where, "has an option twice")
        if OTHER in options:
            raise Fault(where, f"must not hold {OTHER}: every choice gets it")
    if given.get("type") != "text" and not given.get("options"):
        raise Fault(f"{place}.options", 'is missing: give options, or type = "text"')
    offered = [option for options in lists.values() for option in options]
    for option, needed in given.get("only", {}).items():
        _refuse_unknown(f"{place}.only.{option}", "the option", option, offered)
        for name in needed:
            _refuse_unknown(f"{place}.only.{option}", "the technology", name, technologies)
    for rule in given.get("take", ()):
        _refuse_unknown(f"{place}.take", "the technology", rule["has"], technologies)
        _refuse_unknown(f"{place}.take", "the option", rule["option"], offered)


def _lists(place: str, given: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    if "options" in given:
        yield f"{place}.options", given["options"]
    for key in ("by", "having"):
        yield from ((f"{place}.{key}.{name}", options) for name, options in given.get(key, {}).items())


def _fields(merged: dict[str, Any]) -> list[str]:
    found = [f"{area}.{field}" for area, one in merged["areas"].items() for field in one["slots"]]
    return list(dict.fromkeys(found + [f"{one['area']}.{one['field']}" for one in merged["topics"]]))


def _refuse_unknown(place: str, what: str, name: Any, known: Collection[str]) -> None:
    if name in known:
        return
    meant = nearest(str(name)[:_LONGEST_NAME], known)
    said = plain(str(name)[:_LONGEST_NAME])
    raise Fault(place, f"names {what} {said}, which is not there{f'; did you mean {plain(meant)}?' if meant else ''}")


def line_of(text: str, place: str) -> int:
    """The line that says what is at a dotted place, or begins the table it is in; 0 where none does."""
    best, longest, header = 0, 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("["):
            header = path = _path(bare.strip("["))
        else:
            key = _path(bare)
            path = ".".join(part for part in (header, key) if part) if key else ""
        if path and longest < len(path) and f"{place}.".startswith(f"{path}."):
            best, longest = number, len(path)
    return best


def _path(text: str) -> str:
    """The dotted key that a line begins with."""
    parts, at = [], 0
    while match := _KEY.match(text, at):
        parts.append(match[1].strip("\"'"))
        at = match.end()
        if match[2] != ".":
            return ".".join(parts)
    return ""
