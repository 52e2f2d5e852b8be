"""Which JSON data a store can keep, whichever database it is."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_NUMBER = 2**63 - 1
UNSAFE = re.compile("[\x00\ud800-\udfff]")


def flaw(value: Any, deepest: int) -> str:
    """What keeps data nested at most so deep from being stored; an empty text when nothing does."""
    if deepest < 0:
        return "is nested too deeply"
    if isinstance(value, str):
        return "has a NUL or half of a surrogate pair" if UNSAFE.search(value) else ""
    if isinstance(value, int | float):
        return "" if abs(value) <= MOST_NUMBER else "must be a number of ordinary size"  # NaN is not
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for part in parts if (found := flaw(part, deepest - 1))), "")


def same(one: object, other: object) -> bool:
    """Whether JSON data is equal. To Python, true equals 1."""
    if one is other:
        return True
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other
