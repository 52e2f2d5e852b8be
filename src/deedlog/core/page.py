"""Long lists in pages: where the next one starts, and how much fits into one answer."""

from __future__ import annotations

import json

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    Item = TypeVar("Item")

MOST_CHARACTERS = 30_000  # clients cut or divert answers above 40,000


def fitting(items: Sequence[Item]) -> list[Item]:
    """The first of `items` that fit into one answer, at least one."""
    room = MOST_CHARACTERS
    kept: list[Item] = []
    for item in items:
        room -= len(json.dumps(item, ensure_ascii=False))
        if room < 0 and kept:
            break
        kept.append(item)
    return kept


def cursor(key: Sequence[object]) -> str:
    return json.dumps(list(key), separators=(",", ":")).encode().hex()


def opened(text: str | None) -> list[Any] | None:
    """The key a cursor stands for."""
    if not text:
        return None
    try:
        key = json.loads(bytes.fromhex(text))
    except ValueError as error:
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned") from error
    if not isinstance(key, list):
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned")
    return key
