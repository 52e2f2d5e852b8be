"""A real terminal with somebody at it, who reads before typing."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

DEADLINE = 60
INTERRUPT, END = "\x03", "\x04"


class Terminal:
    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str], columns: int = 100) -> None:
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.chdir(folder)
                os.execve(command[0], command, dict(environment))
            finally:
                os._exit(99)
        self.shown = ""
        self._read = 0
        self.code: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._terminal)

    def until(self, text: str) -> str:
        """What was shown since the last time, up to and with `text`."""
        end = time.monotonic() + DEADLINE
        while text not in self.shown[self._read :]:
            assert self._more(end), f"{text!r} never came:\n{self.shown}"
        start, self._read = self._read, self.shown.index(text, self._read) + len(text)
        return self.shown[start : self._read]

    def type(self, text: str) -> None:
        self.type_bytes(text.encode())

    def type_bytes(self, data: bytes) -> None:
        os.write(self._terminal, data)

    def answer(self, line: str, prompt: str = "> ") -> str:
        """Type a line once it is asked for; returns what was shown before."""
        shown = self.until(f"\n{prompt}")
        self.type(line + "\n")
        return shown

    def ended(self) -> int:
        """The exit code, when all was shown."""
        end = time.monotonic() + DEADLINE
        while self._more(end):
            pass
        self.code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self.code

    def _more(self, end: float) -> bool:
        if not select.select([self._terminal], [], [], max(end - time.monotonic(), 0))[0]:
            raise AssertionError(f"nothing more came:\n{self.shown}")
        try:
            data = os.read(self._terminal, 65536)
        except OSError:  # the other side is closed
            return False
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)
