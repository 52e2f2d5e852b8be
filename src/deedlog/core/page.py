"""Long lists in pages: where the next one starts, and how much fits into one answer."""

from __future__ import annotations

import json
from binascii import b2a_base64

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeVar

    Item = TypeVar("Item")
    Key = tuple[int, str]  # where a thing stands in its list: a number, then its id

MOST_CHARACTERS = 30_000  # clients cut or divert answers above 40,000
MOST_BYTES = 20_000  # of a page of bytes, which base64 makes a third longer
LONGEST_NUMBER = 18
NEXT = ("next_cursor", "nextCursor")  # what an answer calls the cursor of its next page, in either style
TEXT_LENGTHS = (2_000, 500, 200)  # to which texts are cut one after the other, until an answer fits


def fitting(items: Iterable[Item], *, last: bool = False, room: int = MOST_CHARACTERS) -> list[Item]:
    """The first (or last) of `items` that fit into one answer, at least one; no more of them are looked at."""
    kept: list[Item] = []
    for item in reversed([*items]) if last else items:
        room -= len(json.dumps(item, ensure_ascii=False))
        if room < 0 and kept:
            break
        kept.append(item)
    return kept[::-1] if last else kept


def started(items: Iterable[Item], most: int, room: int = MOST_CHARACTERS) -> tuple[list[Item], bool]:
    """The first of `items`, at most so many and as many as fit, and whether there are more; one more is looked at."""
    kept: list[Item] = []
    for item in items:
        room -= size(item)
        if len(kept) == most or (room < 0 and kept):
            return kept, True
        kept.append(item)
    return kept, False


def size(data: Any) -> int:
    """How many characters data takes in an answer."""
    return len(json.dumps(data, ensure_ascii=False))


def shortened(answer: Item, room: int = MOST_CHARACTERS) -> Item:
    """`answer`, or as much of each of its lists, from their beginning, as fits into `room`."""
    if size(answer) <= room:
        return answer
    least, most = 0, _longest(answer)
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if size(_cut(answer, items=middle)) <= room else (least, middle)
    return _cut(answer, items=least)  # type: ignore[no-any-return]


def condensed(answer: Item, room: int = MOST_CHARACTERS) -> Item:
    """`answer`, with long texts cut where it does not fit, and only then its lists."""
    for length in TEXT_LENGTHS:
        if size(answer) <= room:
            return answer
        answer = _cut(answer, length=length)
    return shortened(answer, room)


def _longest(data: Any) -> int:
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return max([len(data) if isinstance(data, list) else 0, *map(_longest, parts)])


def _cut(data: Any, *, items: int | None = None, length: int | None = None) -> Any:
    """Data with every list and every text in it cut."""
    if isinstance(data, dict):
        return {name: _cut(part, items=items, length=length) for name, part in data.items()}
    if isinstance(data, list):
        return [_cut(part, items=items, length=length) for part in data[:items]]
    if isinstance(data, str) and length and len(data) > length:
        return data[: length - 1] + "…"
    return data


def text_of(data: bytes, start: int, most: int | None = None) -> tuple[str, str, int]:
    """A page of bytes from `start`: as text with its encoding, empty for plain text, and where the next one starts.

    It ends with a line where it can. Data that is no text, or would be written much longer, is base64. A caller
    that asks for `most` bytes can do with them.
    """
    page = data[start : start + (most or MOST_BYTES)]
    if start + len(page) < len(data):
        page = page[: page.rfind(b"\n") + 1] or page
    end = start + len(page)
    try:
        text = page.decode()
        if "\0" not in text and (most or size(text) <= MOST_CHARACTERS):
            return text, "", end
    except UnicodeDecodeError:
        pass
    return b2a_base64(page, newline=False).decode(), "base64", end


def following(answer: dict[str, Any]) -> str:
    """The cursor of the page after this one; nothing after the last."""
    return str(next((answer[name] for name in NEXT if answer.get(name)), ""))


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
