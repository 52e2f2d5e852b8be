"""A process beside a check that ends it with all its children, should whoever runs the check die before it.

It reads the mark in their environment and then the leader of their group from its standard input, which ends with its
maker; `DONE` comes last where there is nothing to end.
"""

from __future__ import annotations

import os
import sys
import time

from deedlog.workers.remains import end_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

DONE = "done"
LOOKS, PAUSE = 20, 0.05  # a check that was about to start when its maker died shows up a moment later


class Guard:
    """Our side: leaving it without having said that the check is over ends the check."""

    def __init__(self, token: str) -> None:
        self._process = _started()
        self.tell(token)

    def tell(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        try:
            os.write(self._process.stdin.fileno(), f"{line}\n".encode())
        except OSError:
            pass  # somebody has ended it: the check goes on without

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        self._process.wait()


def _started() -> subprocess.Popen[bytes] | None:
    import subprocess  # the guard itself needs none

    command = [sys.executable, "-P", "-m", "deedlog.workers.guarding"]
    try:
        return subprocess.Popen(  # noqa: S603  # an argument list
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        return None  # nor will the check start, then


def main() -> None:
    lines = sys.stdin.read().splitlines()
    if not lines or DONE in lines:
        return
    token, leader = (*lines, "")[:2]
    for _ in range(LOOKS):
        end_all(token, leader)
        time.sleep(PAUSE)


if __name__ == "__main__":
    main()
