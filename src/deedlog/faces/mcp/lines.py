"""Bytes become lines. Of one that is too long only its two ends are kept, by which a request is known."""

from __future__ import annotations

from deedlog.faces.mcp.protocol import DECODER, is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST_LINE = 4 * 1024 * 1024  # parsed, that can be thirty times as much
END = 4 * 1024
SCALAR = rb'("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)'
MEMBER = rb'\s*"(\w+)"\s*:\s*' + SCALAR + rb"\s*"


class Skipped:
    """A line that was too long."""

    def __init__(self, head: bytes, tail: bytes) -> None:
        self._head, self._tail = head, tail

    def members(self) -> dict[str, Any]:
        """What the message has before its first and after its last long member: some clients write the id last."""
        import re  # only a line that is too long needs it

        found: dict[str, Any] = {}
        begin = re.match(rb"\s*\{((?:" + MEMBER + rb",)*)", self._head)
        end = re.search(rb"((?:," + MEMBER + rb")+)\}\s*$", self._tail)
        for part in (begin, end):
            for name, value in re.findall(MEMBER, part[1]) if part else ():
                try:
                    found[name.decode()] = DECODER.decode(value.decode())
                except ValueError:  # not text, or no number of ours
                    continue
        return found

    @property
    def request_id(self) -> str | int | None:
        """Of a request; nothing where it cannot be told, or the line was none."""
        return self._named(request=True)

    @property
    def reply_id(self) -> str | int | None:
        """Of what the client wanted to reply to us."""
        return self._named(request=False)

    def _named(self, *, request: bool) -> str | int | None:
        members = self.members()
        found = members.get("id")
        return found if ("method" in members) == request and is_id(found) else None


class Lines:
    def __init__(self) -> None:
        self._rest = bytearray()
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes | Skipped]:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end])
            yield self._take()
            start = end + 1
        self._keep(data[start:])

    def last(self) -> Iterator[bytes | Skipped]:
        """The line that had no end."""
        if self._rest:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        """A line that is too long has a head; the rest is then its end so far."""
        if not self._head and len(self._rest) + len(part) > LONGEST_LINE:
            self._head = bytes(self._rest[:END] + part[:END])[:END]
        self._rest += part[-END:] if self._head else part
        if self._head:
            del self._rest[:-END]

    def _take(self) -> bytes | Skipped:
        line = Skipped(self._head, bytes(self._rest)) if self._head else bytes(self._rest)
        self._head = b""
        self._rest.clear()
        return line


class Spread:
    """Messages over several lines, as documents print them: from a line that is just `{` to one that begins with `}`.

    The protocol has one a line. A line that is a message by itself ends what was begun before it, so that a
    client that sends half of one by mistake is heard again.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []
        self._size = 0

    def feed(self, line: bytes | Skipped) -> Iterator[bytes | Skipped]:
        if isinstance(line, Skipped) or (self._begun and _is_message(line)):
            yield from self.last()
            yield line
        elif not self._begun and line.strip() != b"{":
            yield line
        else:
            self._begun.append(line)
            self._size += len(line)
            if line.startswith(b"}") or self._size > LONGEST_LINE:
                yield from self.last()

    def last(self) -> Iterator[bytes]:
        """What was begun, whole or not."""
        begun, self._begun, self._size = self._begun, [], 0
        if begun:
            yield b"\n".join(begun)


def _is_message(line: bytes) -> bool:
    return line.startswith(b"{") and line.rstrip().endswith(b"}") and b'"jsonrpc"' in line
