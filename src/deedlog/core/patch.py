"""A patch in git's format, file by file: the pieces it consists of, and which path each is about."""

from __future__ import annotations

import re

from deedlog.core.change import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = re.compile(rb"^diff --git ", re.MULTILINE)  # no line of a file can begin like that
BODY = re.compile(rb"^(?:@@ |GIT binary patch|Binary files )", re.MULTILINE)
RENAMED = re.compile(rb"^(?:rename|copy) (from|to) (.*)$", re.MULTILINE)
ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
ESCAPED = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
PREFIX = 2  # a/ and b/


def pieces(patch: bytes) -> Iterator[bytes]:
    """The patch of each file, in order. Where the kind of a file changed there are two about the same path."""
    starts = [found.start() for found in PIECE.finditer(patch)]
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=False):
        yield patch[start:end]


def paths_of(piece: bytes) -> tuple[str, str]:
    """The path before and after, as lists of changes have them; the same but for renames and copies."""
    found = BODY.search(piece)
    head = piece[: found.start()] if found else piece
    renamed: dict[bytes, bytes] = dict(RENAMED.findall(head))
    if len(renamed) == PREFIX:
        return _text(unquoted(renamed[b"from"])), _text(unquoted(renamed[b"to"]))
    first = head.partition(b"\n")[0].removeprefix(b"diff --git ")
    name = _text(_named_twice(first))
    return name, name


def about(patch: bytes, path: str) -> bytes:
    """The pieces about one path, under its old or its new name."""
    return b"".join(piece for piece in pieces(patch) if path in paths_of(piece))


def _named_twice(names: bytes) -> bytes:
    """The path in `a/path b/path`, which may itself have spaces."""
    if quoted := QUOTED.match(names):
        return unquoted(quoted.group())[PREFIX:]
    return names[PREFIX : (len(names) - 1) // 2]


def unquoted(name: bytes) -> bytes:
    """A path out of git's quotes, if it is in any."""
    if not name.startswith(b'"'):
        return name
    return ESCAPED.sub(lambda found: _byte(found.group(1)), name[1:-1])


def _byte(escape: bytes) -> bytes:
    return bytes([ESCAPES[escape] if escape in ESCAPES else int(escape, 8)])


def _text(path: bytes) -> str:
    return shown(path.decode("utf-8", "surrogateescape"))
