"""Messages as lines of bytes, and back."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

LONGEST = 64 * 1024 * 1024


def _nothing(_name: str) -> None:
    """What stands for NaN and Infinity: some servers write them, no client can read them."""


DECODER = json.JSONDecoder(parse_constant=_nothing)
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
        except (ValueError, RecursionError):
            found = None
        several = found if isinstance(found, list) else [found]
        messages = [one for one in several if isinstance(one, dict) and ("method" in one or "id" in one)]
        self.skipped += len(messages) < max(len(several), 1)
        return messages
