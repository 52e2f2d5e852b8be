"""The lexicon's TOML files, checked and made one plain structure. `make gen` keeps the result as JSON.

Reading that JSON takes a tenth of the time that reading TOML takes, and every call reads it.
"""

from __future__ import annotations

from deedlog.core.clarify.folding import folded
from deedlog.core.words import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_TECHNOLOGY = {
    "also": list, "plain": list, "packages": list, "ecosystems": list, "versioned": bool, "implies": list,
    "serves": list,
}  # fmt: skip
_TOPIC = {"triggers": bool, "words": dict, "needs": dict, "pairs": dict, "asks": list, "then": list, "settled": list}
_AREA = {"fields": list, "paths": list, "topics": dict}
_QUESTION = {
    "sets": str, "type": str, "text": dict, "options": list, "having": dict, "by": dict, "take": list, "why": dict,
    "tells": dict, "optional": bool, "only": dict,
}  # fmt: skip
LANGUAGES = ("en", "fr", "ja")
TYPES = ("single", "multi", "text")
_LONGEST_PLACE = 120
_SHORT = 2  # letters of a word too short to be joined; also the lists of a pair


class Fault(Exception):
    """What is wrong in a file, and where in it."""

    def __init__(self, place: str, what: str) -> None:
        self.place = place
        super().__init__(f"{plain(place)[:_LONGEST_PLACE]} {what}")  # the file is the project's: its text stays names


def plain(name: str) -> str:
    return "".join(char if char.isalnum() or char in "._-/+# " else "?" for char in name)


def compiled(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables `technologies`, `areas` and `questions`, checked; what is left out is empty."""
    _check(tables, {"technologies": dict, "areas": dict, "questions": dict}, "")
    technologies = [
        _technology(name, area, field, _table(given, place, _TECHNOLOGY))
        for area, fields in _tables(tables.get("technologies", {}), "technologies")
        for field, named in _tables(fields, f"technologies.{area}")
        for name, given in _named(named, f"technologies.{area}.{field}")
        for place in [f"technologies.{area}.{field}.{name}"]
    ]
    areas, topics = {}, []
    for name, given in _tables(tables.get("areas", {}), "areas"):
        _check(given, _AREA, f"areas.{name}")
        areas[name] = {"slots": given.get("fields", []), "paths": given.get("paths", [])}
        for field, topic in _tables(given.get("topics", {}), f"areas.{name}.topics"):
            place = f"areas.{name}.topics.{field}"
            _check(topic, _TOPIC, place)
            for key in ("words", "needs"):
                _by_language(topic.get(key, {}), f"{place}.{key}", list)
            words: dict[str, Any] = {key: folded_words(topic.get(key, {})) for key in ("words", "needs")}
            words["words"] = {name: _numbers(name, nouns) for name, nouns in words["words"].items()}
            words["pairs"] = _pairs(topic.get("pairs", {}), f"{place}.pairs")
            topics.append({"area": name, "field": field, **topic, **words})
    questions = {
        name: _question(given, f"questions.{name}") for name, given in _tables(tables.get("questions", {}), "questions")
    }
    return {"technologies": technologies, "areas": areas, "topics": topics, "questions": questions}


def _named(given: dict[str, Any], place: str) -> list[tuple[str, Any]]:
    """The technologies of a field, each with its table. One level too few is a usual mistake."""
    for name, value in given.items():
        if not isinstance(value, dict):
            what = "is no technology: write [technologies.Area.Field], and below it Name = { also = […] }"
            raise Fault(f"{place}.{name}", what)
    return list(given.items())


def _numbers(language: str, nouns: list[str]) -> list[str]:
    """Nouns in the plural too, where a language has one. Not the other way: an alert is no alerting."""
    more = [] if language == "ja" else [f"{noun}s" for noun in nouns if not noun.endswith("s")]
    return list(dict.fromkeys([*nouns, *more]))


def _pairs(given: Any, place: str) -> dict[str, list[list[str]]]:
    """Two lists for each language: a word of the first and one of the second say it together."""
    for language, two in _table(given, place).items():
        if language not in LANGUAGES or not isinstance(two, list) or len(two) != _SHORT:
            raise Fault(f"{place}.{language}", "needs two lists of texts")
        for one in two:
            _texts(one, f"{place}.{language}")
    return {language: [[folded(word) for word in one] for one in two] for language, two in given.items()}


def folded_words(by_name: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: [folded(word) for word in words] for name, words in by_name.items()}


def _technology(name: str, area: str, field: str, given: dict[str, Any]) -> dict[str, Any]:
    guarded = [folded(word) for word in given.get("plain", [])]
    names = map(folded, [name, *given.get("also", [])])
    return {
        "name": name,
        "area": area,
        "field": field,
        "aliases": list(dict.fromkeys(one for name in names for one in _variants(name) if one not in guarded)),
        "packages": [package.lower() for package in given.get("packages", [])],
        "ecosystems": given.get("ecosystems", []),
        "guarded": guarded,
        "versioned": given.get("versioned", False),
    } | {name: given[name] for name in ("implies", "serves") if given.get(name)}


def _variants(name: str) -> list[str]:
    """styled-components is also written "styled components", Solid Queue also solid_queue."""
    words = name.replace("-", " ").split(" ")
    if len(words) == 1 or not name.isascii() or any(len(word) < _SHORT for word in words):
        return [name]
    return [name, " ".join(words), "-".join(words), "_".join(words)]


def _question(given: Any, place: str) -> dict[str, Any]:
    _check(given, _QUESTION, place)
    kind = given.get("type", "single")
    if kind not in TYPES:
        raise Fault(f"{place}.type", f"is none of {', '.join(TYPES)}")
    if "text" in given:
        _by_language(given["text"], f"{place}.text", str)
    _by_language(given.get("why", {}), f"{place}.why", str)
    for option, texts in _tables(given.get("tells", {}), f"{place}.tells"):
        _by_language(texts, f"{place}.tells.{option}", str)
    for key in ("having", "by", "only"):
        for name, options in _table(given.get(key, {}), f"{place}.{key}").items():
            _texts(options, f"{place}.{key}.{name}")
    _texts(given.get("options", []), f"{place}.options")
    for rule in given.get("take", []):
        if not isinstance(rule, dict) or set(rule) != {"has", "option"}:
            raise Fault(f"{place}.take", 'needs rules such as { has = "Redis", option = "BullMQ" }')
    if "sets" in given and given["sets"].count(".") != 1:
        raise Fault(f"{place}.sets", "needs the form Area.Field")
    return dict(given)


def _by_language(given: Any, place: str, kind: type) -> None:
    for language, value in _table(given, place).items():
        if language not in LANGUAGES:
            raise Fault(f"{place}.{language}", f"is none of {', '.join(LANGUAGES)}")
        if kind is list:
            _texts(value, f"{place}.{language}")
        elif not isinstance(value, kind):
            raise Fault(f"{place}.{language}", "needs a text")


def _tables(given: Any, place: str) -> list[tuple[str, dict[str, Any]]]:
    return [(name, _table(value, f"{place}.{name}")) for name, value in _table(given, place).items()]


def _table(given: Any, place: str, keys: Mapping[str, type] | None = None) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Fault(place, "needs a table")
    if keys is not None:
        _check(given, keys, place)
    return given


def _check(given: Any, keys: Mapping[str, type], place: str) -> None:
    names = {list: "a list", dict: "a table", str: "a text", bool: "true or false"}
    for key, value in _table(given, place).items():
        here = f"{place}.{key}".lstrip(".")
        if key not in keys:
            meant = nearest(key[:_LONGEST_PLACE], keys)
            more = f"did you mean {meant}?" if meant else f"there are {', '.join(keys)}"
            raise Fault(here, f"is not known; {more}")
        if not isinstance(value, keys[key]):
            raise Fault(here, f"needs {names[keys[key]]}")
        if keys[key] is list and key != "take":
            _texts(value, here)


def _texts(given: Any, place: str) -> None:
    if not isinstance(given, list) or not all(isinstance(one, str) and one.strip() for one in given):
        raise Fault(place, "needs a list of texts")
