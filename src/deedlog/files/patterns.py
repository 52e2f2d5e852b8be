"""The patterns of a `.gitignore`, read and matched as git does.

git compares bytes. Here every byte is one character (latin-1), so that plain text tools do.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SPECIAL = re.compile(r"[*?\[\\]")
NEVER = "(?!)"
BYTES = [chr(code) for code in range(1, 256)]
ASCII = [char for char in BYTES if char.isascii()]
PRINTED = [char for char in ASCII if " " <= char <= "~"]
CLASSES = {
    "alnum": {char for char in ASCII if char.isalnum()},
    "alpha": {char for char in ASCII if char.isalpha()},
    "blank": {" ", "\t"},
    "cntrl": {char for char in ASCII if char < " " or char == "\x7f"},
    "digit": set("0123456789"),
    "graph": set(PRINTED) - {" "},
    "lower": {char for char in ASCII if char.islower()},
    "print": set(PRINTED),
    "punct": {char for char in PRINTED if char != " " and not char.isalnum()},
    "space": set(" \t\n\v\f\r"),
    "upper": {char for char in ASCII if char.isupper()},
    "xdigit": set("0123456789abcdefABCDEF"),
}


class Malformed(Exception):
    """A pattern that git takes, and that never matches."""


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
        self.matches = compiled(self.text)


def parse(content: bytes) -> list[Pattern]:
    lines = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    kept = (line.removesuffix("\r").partition("\0")[0] for line in lines if not line.startswith("#"))
    return [Pattern(line) for line in map(_without_trailing_spaces, kept) if line]


def _without_trailing_spaces(line: str) -> str:
    """An escaped space stays."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    return bare + " " if escaped and bare != line else bare


def compiled(pattern: str) -> Callable[[str], object]:
    return re.compile(regex(pattern), re.DOTALL).fullmatch


def regex(pattern: str) -> str:
    """Like git, compare what comes before the first special character by itself; the rest begins anew."""
    special = SPECIAL.search(pattern)
    plain = special.start() if special else len(pattern)
    try:
        return re.escape(pattern[:plain]) + _translated(pattern[plain:])
    except Malformed:
        return NEVER


def _translated(pattern: str) -> str:
    parts = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            part, at = _stars(pattern, at)
        elif char == "?":
            part, at = "[^/]", at + 1
        elif char == "[":
            part, at = _one_of(pattern, at + 1)
        elif char == "\\":
            part, at = re.escape(_char(pattern, at + 1)), at + 2
        else:
            part, at = re.escape(char), at + 1
        parts.append(part)
    return "".join(parts)


def _stars(pattern: str, at: int) -> tuple[str, int]:
    """Two stars that are a whole segment stand for any number of segments; others for a part of one."""
    end = at
    while pattern[end : end + 1] == "*":
        end += 1
    begins = at == 0 or pattern[at - 1] == "/"
    rest = pattern[end:]
    if end - at == 1 or not begins or (rest and not rest.startswith(("/", "\\/"))):
        return "[^/]*", end
    return ("(?:.*/)?", end + 1) if rest.startswith("/") else (".*", end)


def _one_of(pattern: str, at: int) -> tuple[str, int]:
    """A set in brackets; `at` is behind the opening one."""
    negative = _char(pattern, at) in "!^"
    at += negative
    members: set[str] = set()
    before = ""
    first = True
    while first or _char(pattern, at) != "]":
        first = False
        found, before, at = _member(pattern, at, before)
        members |= found
    allowed = [char for char in BYTES if (char in members) != negative and char != "/"]
    return (f"[{''.join(map(re.escape, allowed))}]" if allowed else NEVER), at + 1


def _member(pattern: str, at: int, before: str) -> tuple[set[str], str, int]:
    """What one member of a set adds, what may begin a range behind it, and where the next one is."""
    char = _char(pattern, at)
    if char == "\\":
        char = _char(pattern, at + 1)
        return {char}, char, at + 2
    if char == "-" and before and pattern[at + 1 : at + 2] not in ("", "]"):
        at += 2 if pattern[at + 1] == "\\" else 1
        last = _char(pattern, at)
        return {byte for byte in BYTES if before <= byte <= last}, "", at + 1
    if pattern.startswith("[:", at):
        end = pattern.find("]", at + 2)
        if end < 0:
            raise Malformed
        if end > at + 2 and pattern[end - 1] == ":":
            return _class(pattern[at + 2 : end - 1]), "", end + 1
    return {char}, char, at + 1


def _class(name: str) -> set[str]:
    if name not in CLASSES:
        raise Malformed
    return CLASSES[name]


def _char(pattern: str, at: int) -> str:
    if at >= len(pattern):
        raise Malformed
    return pattern[at]
