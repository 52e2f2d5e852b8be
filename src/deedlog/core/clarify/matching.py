"""One pass over a text that finds every known phrase, whole words only.

A phrase may end in `*`, then it matches the beginning of a word. Between Japanese characters a word has no edge that
could be seen, except in katakana: キュー is not in バーベキュー.
"""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_KEY = 3


class Hit(Value):
    """A phrase that was found: `tag` says what it is."""

    tag: str
    start: int
    end: int


class Phrases:
    """Many folded phrases with their tags, ready to be looked for."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        self._by_start: dict[str, list[tuple[str, str, bool]]] = {}
        for phrase, tag in phrases:
            open_end = phrase[-1] == "*"
            text = phrase[:-1] if open_end else phrase
            self._by_start.setdefault(text[:_KEY], []).append((text, tag, open_end))

    def find(self, text: str) -> list[Hit]:
        """Every phrase in a folded text; of one tag only the longest from a place."""
        found: list[Hit] = []
        before = ""
        for start, char in enumerate(text):
            if not (is_word(char) and is_word(before)):
                best: dict[str, int] = {}
                for size in range(1, _KEY + 1):
                    for phrase, tag, open_end in self._by_start.get(text[start : start + size], ()):
                        if len(phrase) < size or not text.startswith(phrase, start):
                            continue
                        end = _end(text, start, start + len(phrase), open_end=open_end)
                        if end > best.get(tag, 0):
                            best[tag] = end
                found.extend(Hit(tag=tag, start=start, end=end) for tag, end in best.items())
            before = char
        return found


def _end(text: str, start: int, end: int, *, open_end: bool) -> int:
    """Where the match ends, or 0 if it is part of a longer word."""
    if is_katakana(text[start]) and start and is_katakana(text[start - 1]):
        return 0
    following = text[end] if end < len(text) else ""
    if open_end:
        while end < len(text) and is_word(text[end - 1]) and is_word(text[end]):
            end += 1
        return end
    if following and (is_word(text[end - 1]) and is_word(following)):
        return 0
    if following and is_katakana(text[end - 1]) and is_katakana(following):
        return 0
    return end


def is_word(char: str) -> bool:
    """A letter, digit or underscore of a script that puts blanks between words."""
    return char != "" and (char == "_" or (char.isalnum() and char < "\u2e80"))


def is_katakana(char: str) -> bool:
    return char != "" and ("\u30a1" <= char <= "\u30fa" or char == "ー")


def is_japanese(char: str) -> bool:
    return "\u3005" <= char <= "\u30ff" or "\u4e00" <= char <= "\u9fff"
