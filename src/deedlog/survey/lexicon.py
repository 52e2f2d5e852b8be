"""The lexicon: ours, with what a project adds or changes in `.deedlog/clarify.toml`."""

from __future__ import annotations

import os

from deedlog.core.clarify.lexicon import Area, Lexicon, Technology, Topic
from deedlog.core.errors import Invalid, Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DATA = os.path.join(os.path.dirname(__file__), "data")
COMPILED = os.path.join(DATA, "lexicon.json")
OWN = "clarify.toml"
MOST_BYTES = 1_000_000
_HINT = "correct it, or move it away; `deedlog help clarify` says what it may hold"
_READ: dict[str, Any] = {}  # what was read, and the stamp of the file it came from


def read(state: str = "") -> Lexicon:
    """Ours, merged with the file in a project's `state` folder where there is one."""
    path = os.path.join(state, OWN) if state else ""
    stamp = (path, *_stamp(path))
    if _READ.get("stamp") != stamp:
        given = _with_own(_ours(), path) if stamp[1] else _ours()
        _READ.update(stamp=stamp, lexicon=_lexicon(given))
    lexicon: Lexicon = _READ["lexicon"]
    return lexicon


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path) if path else None
    except OSError:
        found = None
    return (found.st_mtime_ns, found.st_size) if found else (0, 0)


def _ours() -> dict[str, Any]:
    import json

    with open(COMPILED, encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def _with_own(ours: dict[str, Any], path: str) -> dict[str, Any]:
    """Ours and what the file adds, or the refusal that names the file, the line and the key."""
    import tomllib

    from deedlog.survey.checking import line_of, refuse_loose_ends
    from deedlog.survey.compiling import Fault, compiled

    text = _text(path)
    try:
        own = compiled(tomllib.loads(text))
        merged = _merged(ours, own)
        refuse_loose_ends(own, merged)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = str(error).rpartition("(at ")[2].rstrip(")") if isinstance(error, ValueError) else "some line"
        raise _refusal(f"{path} is no valid TOML at {place}") from error
    except Fault as fault:
        line = line_of(text, fault.place)
        raise _refusal(f"{path}{f', line {line}' if line else ''}: {fault}") from fault
    return merged


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}", part=Part.CONFIGURATION) from error
    if len(text) > MOST_BYTES:
        raise _refusal(f"{path} is larger than {MOST_BYTES} bytes")
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise _refusal(f"{path} is not UTF-8") from error


def _refusal(message: str) -> Invalid:
    return Invalid(message, hint=_HINT, part=Part.CONFIGURATION)


def _merged(ours: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """A project's own come first: a technology of the same name and a question of the same id replace ours."""
    named = {one["name"].lower() for one in own["technologies"]}
    technologies = own["technologies"] + [one for one in ours["technologies"] if one["name"].lower() not in named]
    areas = dict(ours["areas"])
    for name, area in own["areas"].items():
        old = areas.get(name, {"slots": [], "paths": []})
        areas[name] = {key: list(dict.fromkeys([*old[key], *area[key]])) for key in old}
    topics = {(one["area"], one["field"]): one for one in ours["topics"]}
    for one in own["topics"]:
        key = (one["area"], one["field"])
        topics[key] = _joined(topics[key], one) if key in topics else one
    questions = {**ours["questions"]}
    for key, question in own["questions"].items():
        questions[key] = {**_kept(questions.get(key, {}), question), **question}
    return {
        **ours,
        "technologies": technologies,
        "areas": areas,
        "topics": list(topics.values()),
        "questions": questions,
    }


def _kept(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What stays of a question of ours: where other options are given, nothing that chooses among the old ones."""
    choosing = ("options", "by", "having", "only", "take", "why") if "options" in new else ()
    return {key: value for key, value in old.items() if key not in choosing}


def _joined(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Words are added; everything else is replaced."""
    words = {
        key: {
            language: [*old.get(key, {}).get(language, []), *new.get(key, {}).get(language, [])]
            for language in {*old.get(key, {}), *new.get(key, {})}
        }
        for key in ("words", "needs")
    }
    pairs = {**old.get("pairs", {}), **new.get("pairs", {})}
    return {**old, **new, **words, "pairs": pairs}


def _lexicon(given: dict[str, Any]) -> Lexicon:
    return Lexicon(
        technologies=[Technology(**one) for one in given["technologies"]],
        areas={name: Area(name=name, **one) for name, one in given["areas"].items()},
        topics=[Topic(**one) for one in given["topics"]],
        questions=given["questions"],
        words=given["words"],
        rivals=given["rivals"],
    )
