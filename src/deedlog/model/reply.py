"""A model's reply, checked: the fields of a proposal in their types, without placeholders."""

from __future__ import annotations

import re

from deedlog.core.clarify.values import KINDS
from deedlog.model.wire import Garbage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

TEXTS = ("context", "rationale")
LISTS = ("categories", "alternatives", "consequences", "new_dependencies", "acceptance_criteria")
LONGEST, MOST_ITEMS, MOST_FILES = 4_000, 20, 100_000
PLACEHOLDER = re.compile(
    r"[\s\[<({*_`.-]*(?:tbd|tba|todo|fixme|xxx+|unknown|undefined|unspecified|none|null|nil|n/?a|not applicable|"
    r"not (?:yet )?(?:specified|known|decided|determined|provided)|to be (?:determined|decided|defined)|placeholder|"
    r"lorem ipsum.*|string|text|value|other \(specify\)|inconnu|à définir|à déterminer|未定|不明|なし|\?+|…|)"
    r"[\s\]>)}*_`.!-]*",
    re.IGNORECASE,
)


def checked(data: object, is_made: Callable[[str, str], bool]) -> Json:
    """What the reply says, or `Garbage` where a field is not what was asked for, or nothing is said.

    Of the choices only those stay that are made: a model must not choose for the user.
    """
    if not isinstance(data, dict):
        raise Garbage("it is no object")
    found: Json = {name: _text(data[name], name) for name in TEXTS if name in data}
    found |= {name: _list(data[name], name) for name in LISTS if name in data}
    if data.get("kind") in KINDS:
        found["kind"] = data["kind"]
    if "estimated_files" in data:
        found["estimated_files"] = _number(data["estimated_files"])
    if "choices" in data:
        found["choices"] = {field: value for field, value in _choices(data["choices"]).items() if is_made(field, value)}
    said = {name: value for name, value in found.items() if value}
    if not said:
        raise Garbage("it says nothing")
    return said


def is_placeholder(text: str) -> bool:
    return PLACEHOLDER.fullmatch(text) is not None


def _text(value: object, name: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Garbage(f"{name} is no text")
    text = value.strip()
    return "" if is_placeholder(text) else text[:LONGEST]


def _list(value: object, name: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise Garbage(f"{name} is no list")
    texts = [_text(item, name) for item in value[:MOST_ITEMS]]
    return list(dict.fromkeys(text for text in texts if text))


def _number(value: object) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_FILES:
        raise Garbage("estimated_files is no number of files")
    return value


def _choices(value: object) -> dict[str, str]:
    """Asked for as a list, because a strict schema knows no other names; models without one may give an object."""
    if isinstance(value, dict):
        value = [{"field": field, "value": chosen} for field, chosen in value.items()]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Garbage("choices is no list of choices")
    pairs = [(_text(item.get("field"), "choices"), _text(item.get("value"), "choices")) for item in value[:MOST_ITEMS]]
    return {field: chosen for field, chosen in pairs if all(field.partition(".")) and chosen}
