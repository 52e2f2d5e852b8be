"""Text on a terminal: its width in columns, what is safe to print, cutting and wrapping."""

from __future__ import annotations

import os
import sys
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
LEAST_COLUMNS, USUAL_COLUMNS = 40, 80
REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # it was closed


def columns(stream: TextIO | None = None) -> int | None:
    """The width of the terminal that a stream, by default the output, is on; None for none: nothing may be cut."""
    stream = stream or sys.stdout
    if stream is None or not is_terminal(stream):
        return None
    told = os.environ.get("COLUMNS", "")
    found = int(told) if told.isascii() and told.isdigit() else os.get_terminal_size(stream.fileno()).columns
    return max(found, LEAST_COLUMNS) if found else USUAL_COLUMNS


def colourful(stream: TextIO | None = None) -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return is_terminal(stream or sys.stdout) and not plain


def clean(text: str) -> str:
    """`text` with control characters and escape sequences made visible and harmless; line ends stay."""
    if text.isprintable() and text.isascii():
        return text
    return "".join(c if c in "\n " or not _hidden(c) else _escaped(c) for c in text)


def _hidden(c: str) -> bool:
    return unicodedata.category(c) in UNPRINTABLE or c in REORDERING


def _escaped(c: str) -> str:
    return c.encode("unicode_escape").decode()


def width(text: str) -> int:
    """How many columns a text takes."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def padded(text: str, room: int) -> str:
    return text + " " * (room - width(text))


def cut(text: str, room: int) -> str:
    """`text` in at most `room` columns."""
    if width(text) <= room:
        return text
    kept, used = "", 0
    for c in text:
        used += _columns_of(c)
        if used > room - 1:
            break
        kept += c
    return kept + "…"


def wrapped(text: str, room: int) -> list[str]:
    """Lines of at most `room` columns, broken between words where that is possible."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            joined = f"{line} {word}" if line else word
            if width(joined) <= room:
                line = joined
                continue
            if line:
                lines.append(line)
            *full, line = _broken(word, room)
            lines += full
        lines.append(line)
    return lines


def _broken(word: str, room: int) -> list[str]:
    """A word longer than a line, in pieces."""
    pieces, used = [""], 0
    for c in word:
        used += _columns_of(c)
        if used > room:
            pieces.append("")
            used = _columns_of(c)
        pieces[-1] += c
    return pieces
