"""The part of a file's name that people read."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 50
OTHER = re.compile(r"[^\w]+")
UNSEEN_MARKS = ("Mn", "Me", "Mc")


def file_slug(title: str, fallback: str = "untitled") -> str:
    """Letters and digits of any script in lower case; accents of Latin letters are left out."""
    composed = unicodedata.normalize("NFC", title[: LONGEST * 20].encode("utf-8", "ignore").decode())
    folded = "".join(map(_bare, composed)).lower()
    words = OTHER.sub("_", folded).strip("_")
    return _cut(unicodedata.normalize("NFC", words)).strip("_") or fallback


def _cut(words: str) -> str:
    """Not within a word, unless that would leave next to nothing."""
    if len(words) <= LONGEST:
        return words
    whole = words[: LONGEST + 1].rpartition("_")[0]
    return whole if len(whole) > LONGEST // 2 else words[:LONGEST]


def _bare(letter: str) -> str:
    if letter.isascii():
        return letter
    parts = unicodedata.normalize("NFKD", letter)
    base, marks = parts[0], parts[1:]
    return base if base.isascii() and all(unicodedata.category(mark) in UNSEEN_MARKS for mark in marks) else letter
