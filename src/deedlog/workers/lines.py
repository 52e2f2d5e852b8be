"""Lines out of what comes through a pipe, whatever bytes these are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 65_536  # of a line that is recorded
LONGEST_READ = 4 * 1024 * 1024  # of one that is looked at
NUL, UNREADABLE = "\0", "\ufffd"


class Lines:
    """The lines of one stream. Of a very long one only the beginning is kept."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, piece: bytes) -> Iterator[str]:
        *whole, rest = piece.split(b"\n")
        for part in whole:
            self._add(part)
            yield self._taken()
        self._add(rest)

    def rest(self) -> Iterator[str]:
        """What came after the last end of a line."""
        if self._begun:
            yield self._taken()

    def _add(self, part: bytes) -> None:
        self._begun += part[: LONGEST_READ - len(self._begun)]

    def _taken(self) -> str:
        line = bytes(self._begun).removesuffix(b"\r")
        self._begun.clear()
        return line.decode("utf-8", "replace").replace(NUL, UNREADABLE)


def recorded(line: str) -> str:
    """A line as it is recorded."""
    size = len(line) if line.isascii() else len(line.encode())
    if size <= LONGEST:
        return line
    kept = line.encode()[:LONGEST].decode("utf-8", "ignore")
    return f"{kept} … (cut: the line had {size} bytes{' or more' if size >= LONGEST_READ else ''})"
