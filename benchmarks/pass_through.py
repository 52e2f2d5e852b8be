"""The least that a gateway can do: read a message, give it another id and name, hand it on. The floor of (j).

Usage: pass_through.py NAME COMMAND ARGUMENT…; tools of the command are called `NAME__tool`.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator

TAKEN = 1 << 16


class Lines:
    """What comes on a pipe, line by line."""

    def __init__(self, pipe: int) -> None:
        self.pipe, self._rest = pipe, b""

    def read(self) -> Iterator[bytes]:
        came = os.read(self.pipe, TAKEN)
        if not came:
            raise EOFError
        *lines, self._rest = (self._rest + came).split(b"\n")
        yield from lines


def main() -> None:
    name, *command = sys.argv[1:]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin
        assert server.stdout
        ours, theirs = Lines(0), Lines(server.stdout.fileno())
        out = server.stdin.fileno()
        ids: dict[int, object] = {}
        try:
            while True:
                for pipe in select.select([0, theirs.pipe], [], [])[0]:
                    if pipe == 0:
                        for line in ours.read():
                            os.write(out, onward(line, name, ids))
                    else:
                        for line in theirs.read():
                            os.write(1, back(line, ids))
        except EOFError:
            server.stdin.close()


def onward(line: bytes, name: str, ids: dict[int, object]) -> bytes:
    message = json.loads(line)
    if "id" in message:
        number = len(ids)
        ids[number] = message["id"]
        message["id"] = number
    if message["method"] == "tools/call":
        message["params"]["name"] = message["params"]["name"].removeprefix(f"{name}__")
    return json.dumps(message).encode() + b"\n"


def back(line: bytes, ids: dict[int, object]) -> bytes:
    message = json.loads(line)
    if "id" in message:
        message["id"] = ids[message["id"]]
    return json.dumps(message).encode() + b"\n"


if __name__ == "__main__":
    main()
