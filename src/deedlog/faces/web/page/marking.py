"""Found words in a text, marked where they stand in it as it was written."""

from __future__ import annotations

from markupsafe import Markup, escape

from deedlog.core.words import fold


def marked(text: str, words: list[str]) -> Markup:
    """`text` with every place where one of the folded `words` stands in <mark>."""
    folded, origin = _folded(text)
    lit = [False] * len(text)
    for word in filter(None, words):
        at = folded.find(word)
        while at >= 0:
            for place in range(origin[at], origin[at + len(word) - 1] + 1):
                lit[place] = True
            at = folded.find(word, at + len(word))
    parts, start = [], 0
    for end in range(1, len(text) + 1):
        if end == len(text) or lit[end] != lit[start]:
            part = escape(text[start:end])
            parts.append(Markup("<mark>{}</mark>").format(part) if lit[start] else part)
            start = end
    return Markup("").join(parts)


def _folded(text: str) -> tuple[str, list[int]]:
    """As searches compare it, and for every character of that the one it comes from."""
    letters: list[str] = []
    origin: list[int] = []
    for place, letter in enumerate(text):
        plain = fold(letter)
        letters.append(plain)
        origin += [place] * len(plain)
    return "".join(letters), origin
