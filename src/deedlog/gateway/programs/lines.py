"""Messages as lines of bytes, and back."""

from __future__ import annotations

import json
import re

from deedlog.core.errors import Unavailable
from deedlog.gateway.wire import Undelivered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

LONGEST = 64 * 1024 * 1024


def _nothing(_name: str) -> None:
    """What stands for NaN and Infinity: some servers write them, no client can read them."""


def _finite(text: str) -> float | None:
    """The same for a number that is too large to be one, such as 1e999."""
    number = float(text)
    return number if number - number == 0 else None


DECODER = json.JSONDecoder(parse_constant=_nothing, parse_float=_finite)
ID_FIRST = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,[^{]*"(?:result|error)"\s*:'
)
ID_LAST = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*\}\s*$')
BEGINS = re.compile(rb'\s*\{\s*"(?:result|error)"\s*:')
NEAR = 200  # bytes from either end of a line within which its id is
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encoded(message: Json) -> bytes:
    try:
        return ENCODER.encode(message).encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair can only be sent escaped
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class TooLong(Exception):
    """A line that never seems to end."""


class Lines:
    """Takes what a server writes as it comes, and gives its messages. What else it writes is skipped and counted."""

    def __init__(self) -> None:
        self.skipped = 0
        self._begun: list[bytes] = []
        self._length = 0

    def take(self, data: bytes) -> list[Json]:
        end = data.rfind(b"\n") + 1
        whole, rest = data[:end], data[end:]
        found: list[Json] = []
        if whole:
            if self._begun:
                whole = b"".join([*self._begun, whole])
                self._begun, self._length = [], 0
            for line in whole.split(b"\n"):
                if line:
                    found += self._messages(line)
        if rest:
            self._begun.append(rest)
            self._length += len(rest)
            if self._length > LONGEST:
                raise TooLong
        return found

    def _messages(self, line: bytes) -> list[Json]:
        """One message; or several, in the one revision that has batches."""
        try:
            found = DECODER.decode(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):  # too deep, or a number too long, if it is one at all
            found = _unread(line)
        several = found if isinstance(found, list) else [found]
        messages = [one for one in several if isinstance(one, dict) and _is_message(one)]
        self.skipped += len(messages) < max(len(several), 1)
        return messages


def _is_message(one: Json) -> bool:
    method = one.get("method")
    return isinstance(method, str) or (method is None and one.get("id") is not None)


def _unread(line: bytes) -> Json | None:
    """Of an answer that cannot be read at least whose it is: that caller need not wait for another."""
    found = ID_FIRST.match(line[:NEAR]) or (BEGINS.match(line[:NEAR]) and ID_LAST.search(line[-NEAR:]))
    return Undelivered(int(found[1]), Unavailable("the answer of the server cannot be read")) if found else None
