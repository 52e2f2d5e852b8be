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
_HINT = "correct it; docs/concepts/gate.md says what it may hold"
_READ: dict[str, Any] = {}  # what was read, and the stamp of the file it came from


def read(state: str = "") -> Lexicon:
    """Ours, merged with the file in a project's `state` folder where there is one."""
    path = os.path.join(state, OWN) if state else ""
    stamp = (path, *_stamp(path))
    if _READ.get("stamp") != stamp:
        given = _ours()
        if stamp[1]:
            given = _merged(given, _own(path))
            _refuse_loose_ends(given, path)
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


def _own(path: str) -> dict[str, Any]:
    import tomllib

    from deedlog.survey.compiling import Fault, compiled

    try:
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}", part=Part.CONFIGURATION) from error
    if len(text) > MOST_BYTES:
        raise Invalid(f"{path} is larger than {MOST_BYTES} bytes", hint=_HINT, part=Part.CONFIGURATION)
    try:
        return compiled(tomllib.loads(text.decode()))
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8", hint=_HINT, part=Part.CONFIGURATION) from error
    except tomllib.TOMLDecodeError as error:
        place = str(error).rpartition("(at ")[2].rstrip(")") or "some line"
        raise Invalid(f"{path} is no valid TOML at {place}", hint=_HINT, part=Part.CONFIGURATION) from error
    except Fault as error:
        raise Invalid(f"{path}: {error}", hint=_HINT, part=Part.CONFIGURATION) from error


def _refuse_loose_ends(given: dict[str, Any], path: str) -> None:
    """Questions that are named but not there, or have no text."""
    wrong = [
        f"areas.{one['area']}.topics.{one['field']}.{key} names the question {name}, which is not there"
        for one in given["topics"]
        for key in ("asks", "then")
        for name in one.get(key, [])
        if name not in given["questions"]
    ]
    wrong += [f"questions.{name}.text is missing" for name, one in given["questions"].items() if not one.get("text")]
    if wrong:
        raise Invalid(f"{path}: {wrong[0]}", hint=_HINT, part=Part.CONFIGURATION)


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
        questions[key] = {**questions.get(key, {}), **question}
    return {
        **ours,
        "technologies": technologies,
        "areas": areas,
        "topics": list(topics.values()),
        "questions": questions,
    }


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
    )
