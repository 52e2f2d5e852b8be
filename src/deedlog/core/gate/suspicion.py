"""What is suspicious about what a server says of itself and its tools.

Rules look at every text of a definition, at any depth, as a model reads it: without what is not seen.
"""

from __future__ import annotations

import re

from deedlog.core.gate import unseen
from deedlog.core.gate.flags import MEANING
from deedlog.core.gate.luring_words import (
    ABOUT_TEXTS,
    DOING_HARM,
    LABELS,
    MAY_BE_MENTIONED,
    SAYINGS,
    SHADOWING,
)
from deedlog.core.gate.others import IDENTIFIER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from deedlog.core.gate.others import Others

    Json = dict[str, Any]

LONGEST = 20_000  # of one text
LONGEST_OF_ALL = 80_000  # of all texts of a definition; whatever is longer is flagged, and its rest is not read
LONGEST_REMEMBERED, MOST_REMEMBERED = 1_000, 8_192  # texts that need not be read twice
DEEPEST = 64
SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\n\r\u2028\u2029]+|(?<=[\u3002\uff01\uff1f])")
COMMENT = re.compile(
    r"<!--(?P<html>.*?)(?:-->|\Z)|^\s*\[(?://|comment)\]:\s*#?\s*[(\"'](?P<mark>.*)", re.DOTALL | re.MULTILINE
)
ENCODED = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}", re.ASCII)
HEX = re.compile(r"(?:[0-9a-f]{2}){12,}", re.IGNORECASE)
DATA_URI = re.compile(
    r"\bdata:(?!image/|audio/|video/|font/)[a-z]+/[\w.+-]+[^\s,]{0,40},\S{20,}|\bjavascript:\s*\w+[^\s]*\(",
    re.IGNORECASE,
)
LETTERS = re.compile(r"[^\W\d_]")
LEAST_LETTERS = 12  # of a comment that says something
LIKENESS = 0.8
LEAST_WORDS = 3  # of descriptions that say enough to be told apart
_remembered: dict[str, tuple[str, ...]] = {}


def flags_of_tool(tool: Mapping[str, Any], others: Others) -> list[str]:
    if is_deep(tool):
        return ["deep"]
    name, description = str(tool.get("name", "")), str(tool.get("description", ""))
    said = list(texts({key: value for key, value in tool.items() if key != "icons"}))
    words = frozenset(text for text in said if IDENTIFIER.fullmatch(text))  # of its parameters and their values
    found = flags_of_texts(said, others, words)
    if others.are_imitated_by(name) or _are_alike(others.description_of_ours(name), description):
        found.append("imitation")
    if _are_alike(others.description(name), description):
        found.append("copy")
    return found


def flags_of_texts(said: list[str], others: Others, words: frozenset[str] = frozenset()) -> list[str]:
    """The flags of several texts. `words` are names in them that mean no tool."""
    read = list(_as_far_as_read(said))
    found = {code for text in read for code in flags_of_text(text)}
    if sum(map(len, read)) < sum(map(len, said)):
        found.add("long")
    whole = unseen.plain("\n".join(text for text in read if text not in words))
    if _is_shadowing(whole, others, words) or others.are_named_in(whole, words):
        found.add("shadowing")
    return [code for code in MEANING if code in found]


def _as_far_as_read(said: list[str]) -> Iterator[str]:
    room = LONGEST_OF_ALL
    for text in said:
        yield text[: min(LONGEST, room)]
        room -= min(len(text), LONGEST, room)


def flags_of_text(text: str) -> Sequence[str]:
    """The same short texts are in many tools of a server: each is read once."""
    if (known := _remembered.get(text)) is not None:
        return known
    found = tuple(_flags_of_text(text))
    if len(text) <= LONGEST_REMEMBERED:
        if len(_remembered) >= MOST_REMEMBERED:
            _remembered.clear()
        _remembered[text] = found
    return found


def _flags_of_text(text: str) -> Iterator[str]:
    if unseen.ESCAPE.search(text):
        yield "escapes"
    elif unseen.has_unseen(text):
        yield "unseen"
    if unseen.has_lookalikes(text):
        yield "lookalikes"
    if any(len(LETTERS.findall(found["html"] or found["mark"])) >= LEAST_LETTERS for found in COMMENT.finditer(text)):
        yield "comment"
    if DATA_URI.search(text):
        yield "data-uri"
    read = unseen.plain(text)
    yield from _said(read)
    if (meant := unseen.undisguised(read)) != read:
        yield from _said(meant)
    if any(DOING_HARM.search(hidden) or any(_said(hidden)) for hidden in _decoded(read)):
        yield "encoded"


def texts(data: Any) -> Iterator[str]:
    """Every text in JSON data, the names of its fields included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield str(name)
            yield from texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts(value)


def is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _said(text: str) -> Iterator[str]:
    if LABELS.search(text):
        yield "labels"
    for sentence in SENTENCE.split(text.lower()):
        flat = " ".join(sentence.split())
        for code, pattern in SAYINGS:
            found = pattern.search(flat)
            if found and not (code in MAY_BE_MENTIONED and ABOUT_TEXTS.search(flat[: found.start() + 1])):
                yield code


def _decoded(text: str) -> Iterator[str]:
    from binascii import Error, a2b_base64  # only where something may be encoded

    for found in ENCODED.finditer(text):
        if HEX.fullmatch(found[0]):
            yield bytes.fromhex(found[0]).decode("utf-8", "replace")
            continue
        written = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            decoded = a2b_base64(written + "=" * (-len(written) % 4))
        except (Error, ValueError):
            continue
        if decoded.isascii():
            yield decoded.decode()


def _is_shadowing(text: str, others: Others, words: frozenset[str]) -> bool:
    found = (word for match in SHADOWING.finditer(text) for word in match.groups() if word)
    return any(not others.is_own(word) and word not in words for word in found)


def _are_alike(one: str, other: str) -> bool:
    if not one:
        return False
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(first & second) >= LIKENESS * len(first | second) and len(second) >= LEAST_WORDS
