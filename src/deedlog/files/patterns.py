"""The patterns of a `.gitignore`, read as git reads it.

git compares bytes. Here every byte is one character (latin-1), so that plain text tools do.
"""

from __future__ import annotations

import re

from deedlog.core.glob import translated


class Pattern:
    """`text` is what a name must match if `by_name`, else what the path below the file's folder must."""

    __slots__ = ("by_name", "matches", "negative", "only_folders", "text")

    def __init__(self, line: str) -> None:
        self.negative = line.startswith("!")
        text = line[1:] if self.negative else line
        self.only_folders = text.endswith("/")
        text = text[:-1] if self.only_folders else text
        self.by_name = "/" not in text
        self.text = text.removeprefix("/")
        self.matches = re.compile(translated(self.text), re.DOTALL).fullmatch


def parse(content: bytes) -> list[Pattern]:
    lines = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    kept = (line.removesuffix("\r").partition("\0")[0] for line in lines if not line.startswith("#"))
    return [Pattern(line) for line in map(_without_trailing_spaces, kept) if line]


def _without_trailing_spaces(line: str) -> str:
    """An escaped space stays."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    return bare + " " if escaped and bare != line else bare
