"""A text made easy to search: one case, no accents, full width made plain, white space as single blanks."""

from __future__ import annotations

import unicodedata

from deedlog.core.value import Value

_PLAIN = {
    "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-",
    "\u21d2": "\u2192", "\u279c": "\u2192", "\u27a1": "\u2192",
}  # fmt: skip


class Folded(Value):
    """`at[i]` is where the i-th character of `text` stood in the original; it has one entry more, for the end."""

    original: str
    text: str
    at: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the folded text in the original."""
        return self.at[start], self.at[end - 1] + 1 if end > start else self.at[start]


def fold(text: str) -> Folded:
    out: list[str] = []
    at: list[int] = []
    for index, char in enumerate(text):
        for plain in _plain(char):
            if plain in "\u3099\u309a" and out:
                out[-1] = unicodedata.normalize("NFC", out[-1] + plain)
                continue
            if plain == " " and out and out[-1] == " ":
                continue
            out.append(plain)
            at.append(index)
    at.append(len(text))
    return Folded(original=text, text="".join(out), at=at)


def folded(text: str) -> str:
    return fold(text).text


def _plain(char: str) -> str:
    if char.isascii():
        return "\n" if char == "\n" else " " if char.isspace() else char.lower()
    if char in _PLAIN:
        return _PLAIN[char]
    if char.isspace():
        return " "
    out = ""
    for part in unicodedata.normalize("NFKC", char):
        stripped = "".join(c for c in unicodedata.normalize("NFD", part) if not "\u0300" <= c <= "\u036f")
        out += unicodedata.normalize("NFC", stripped).lower()
    return out
