"""Which files are left out of a work tree, in the lines git reads from `info/sparse-checkout`.

The globs mean there what they mean in `core/glob.py`. Git reads lines and compares bytes; where that makes a
difference the paths concerned are named one by one.
"""

from __future__ import annotations

import os
import re

from deedlog.core.glob import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EVERYTHING = "/*"
SIGNS = re.compile(r"([*?\[\\])")
# the narrowest range with a line break in it that can be written without one
LINE_BREAK, LINE_BREAK_RANGE = "[\t-\v]", "\t-\v"
SETTINGS = {"core.sparseCheckout": "true", "core.sparseCheckoutCone": "false"}


def rules(exclude: Sequence[str], paths: Iterable[str], inherited: str = "") -> str:
    """The text of the file; `inherited` are the lines that hold in the tree one starts from, `paths` what is there."""
    wanted = [glob for glob in exclude if glob.strip("/") and "\0" not in glob]
    lines = inherited.splitlines() or [EVERYTHING]
    lines += [f"!{line_of(glob)}" for glob in wanted]
    lines += _corrections(wanted, paths)
    return "".join(line + "\n" for line in lines)


def line_of(glob: str) -> str:
    """A glob as one line; git drops a carriage return and spaces at its end, unless they are escaped."""
    line = _without_breaks(glob)
    if line.startswith(("!", "#")):
        line = "\\" + line
    body = line.rstrip(" \r")
    end = line[len(body) :]
    if end and (len(body) - len(body.rstrip("\\"))) % 2:
        body = body[:-1]  # what it escapes stands in brackets now
    return body + "".join(f"[{char}]" for char in end)


def _without_breaks(glob: str) -> str:
    found = ""
    inside = False
    for place, char in enumerate(glob):
        if char == "\n":
            found = found.removesuffix("\\") if glob[place - 1 : place] == "\\" else found
            found += LINE_BREAK_RANGE if inside else LINE_BREAK
            continue
        if char == "[" and not inside:
            inside = True
        elif char == "]" and inside and glob[place - 1] not in "[!^":
            inside = False
        found += char
    return found


def literally(path: str) -> str:
    """The line for one path and nothing else."""
    return "/" + line_of(SIGNS.sub(r"\\\1", path))


def _corrections(globs: Sequence[str], paths: Iterable[str]) -> Iterator[str]:
    """Paths with other letters than ASCII ones: a `?` is one letter to us, one byte to git."""
    meant = [compiled(glob) for glob in globs]
    done = [compiled(_bytewise(glob)) for glob in globs]
    for path in paths:
        if path.isascii():
            continue
        is_meant = any(pattern.match(path) for pattern in meant)
        if is_meant != any(pattern.match(_bytewise(path)) for pattern in done):
            yield ("!" if is_meant else "") + literally(path)


def _bytewise(text: str) -> str:
    return os.fsencode(text).decode("latin-1")
