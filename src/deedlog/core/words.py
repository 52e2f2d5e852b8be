"""Plain rules about words: folding for search, guessing what a misspelt name meant, cutting to fit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

MOST_QUERY_WORDS = 8
SHORT = 40  # of a name before a word that must not be cut
LEAST_BEGINNING = 3


def fold(text: str) -> str:
    """`Été` and `ete` alike: no accents, no case, full-width letters as narrow ones."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def query_words(text: str) -> list[str]:
    """The folded words a search must all find."""
    return fold(text).split()[:MOST_QUERY_WORDS]


def one_line(text: str, width: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def beginning(text: str, most: int) -> str:
    """As many whole words of `text`, with its lines, as `most` characters hold."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    end = max(kept.rfind(" "), kept.rfind("\n"))
    return f"{kept[:end].rstrip()} …" if end > 0 else f"{kept}…"


def snippet(text: str, words: list[str], width: int = 100) -> str:
    """The part of `text` around the first word found."""
    flat = " ".join(text.split())
    folded = fold(flat)
    at = min((folded.find(w) for w in words if w in folded), default=0)
    start = 0 if at < width // 2 else at - width // 3
    return ("…" if start else "") + one_line(flat[start:], width)


def distance(one: str, other: str) -> int:
    """How many letters must change, appear or go (a swap counts one)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like `name`, or the only one that begins with it; empty when none is close."""
    folded = name.lower()
    ranked = sorted((distance(folded, k.lower()), k) for k in known)
    if ranked and _is_near(*ranked[0], name):
        return ranked[0][1]
    longer = [k for _, k in ranked if k.lower().startswith(folded)]
    return longer[0] if len(longer) == 1 and len(name) >= LEAST_BEGINNING else ""


def _is_near(apart: int, found: str, name: str) -> bool:
    """A few letters differ, and more than half of them do not: words of two letters are all alike otherwise."""
    return apart <= max(2, len(name) // 3) and 2 * apart < max(len(name), len(found))


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    found = nearest(name, known)
    return f"did you mean {found!r}?" if found else otherwise
