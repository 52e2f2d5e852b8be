"""What changed about a tool's definition, in lines that a person reads: where, what it was, what it is."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

MOST_LINES = 60
LONGEST = 600


def changes(before: list[Json], after: list[Json]) -> list[str]:
    """Lines such as `description`, `- as it was`, `+ as it is`. Characters that do not print are spelt out."""
    was, now = _places(before), _places(after)
    lines: list[str] = []
    for place in dict.fromkeys([*was, *now]):
        if was.get(place) == now.get(place):
            continue
        lines.append(place)
        lines += [f"- {line}" for line in _lines(was.get(place))]
        lines += [f"+ {line}" for line in _lines(now.get(place))]
    left = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], f"… and {left} lines more"] if left > 0 else lines


def _places(definitions: list[Json]) -> dict[str, str]:
    """Every value of a definition by where it is; of several definitions of one name each by its number."""
    found: dict[str, str] = {}
    for number, definition in enumerate(definitions, 1):
        _collect(definition, f"#{number}" if len(definitions) > 1 else "", found)
    return found


def _collect(data: Any, place: str, found: dict[str, str]) -> None:
    if isinstance(data, dict) and data:
        for name in sorted(data, key=lambda name: (name == "inputSchema", name == "outputSchema", name)):
            _collect(data[name], f"{place}.{_visible(name)[:80]}".lstrip("."), found)
    elif isinstance(data, str):
        found[place] = data
    else:
        found[place] = json.dumps(data, ensure_ascii=False)


def _lines(text: str | None) -> list[str]:
    if text is None:
        return []
    return [
        _visible(line) if len(line) <= LONGEST else _visible(line[:LONGEST]) + "…" for line in text.splitlines() or [""]
    ]


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)
