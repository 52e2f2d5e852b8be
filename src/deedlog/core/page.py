"""Long lists in pages: where the next one starts, and how much fits into one answer."""

from __future__ import annotations

import json

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    Item = TypeVar("Item")
    Key = tuple[int, str]  # where a thing stands in its list: a number, then its id

MOST_CHARACTERS = 30_000  # clients cut or divert answers above 40,000
LONGEST_NUMBER = 18


def fitting(items: Sequence[Item], *, last: bool = False) -> list[Item]:
    """The first (or last) of `items` that fit into one answer, at least one."""
    room = MOST_CHARACTERS
    kept: list[Item] = []
    for item in reversed(items) if last else items:
        room -= len(json.dumps(item, ensure_ascii=False))
        if room < 0 and kept:
            break
        kept.append(item)
    return kept[::-1] if last else kept


def cursor(key: Key) -> str:
    return f"{key[0]}.{key[1]}"


def opened(text: str | None) -> Key | None:
    """The key a cursor stands for."""
    if not text:
        return None
    number, dot, rest = text.partition(".")
    if not (dot and number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER):
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned")
    return int(number), rest
