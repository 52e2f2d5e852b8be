"""The process of a server: reading from it, and ending it with all that it started, so that nothing is left."""

from __future__ import annotations

import os
import select
import signal
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import Popen
    from threading import Lock
    from typing import IO

AT_ONCE = 64 * 1024  # bytes that are read in one go: as much as a pipe holds
LOOK = 0.02  # seconds between two looks at a process that is to end
AFTER_TERM = 2.0  # seconds that it has when it was told to end
REST = 0.3  # ... and that the processes it leaves behind have


class Child:
    """Used by one thread only, but for its input. It is not reaped before its group was killed: until then nobody else
    can have its number.
    """

    def __init__(self, process: Popen[bytes], heard: Callable[[int, bytes], None]) -> None:
        self._process = process
        self._heard = heard
        self.pid = process.pid
        self.input, self.output, self.errors = map(_unblocked, (process.stdin, process.stdout, process.stderr))
        self.open = {self.output, self.errors}
        self.tells = _told_of(process.pid)
        self.ears = select.poll()
        for fd in (*self.open, self.tells):
            if fd >= 0:
                self.ears.register(fd, select.POLLIN)

    def hear(self, fd: int) -> bool:
        """Hand over what can be read right now; False when there is nothing."""
        try:
            data = os.read(fd, AT_ONCE)
        except BlockingIOError:
            return False
        if data:
            self._heard(fd, data)
            return True
        self.open.discard(fd)
        self.ears.unregister(fd)
        return False

    def has_exited(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def end(self, seconds: float, writing: Lock) -> tuple[int, bool]:
        """Its status, and whether it ended by itself within these seconds of its input being closed."""
        with writing:
            _close(self._process.stdin)
        by_itself = self._wait(seconds, self.has_exited)
        if not by_itself:
            self._signal(signal.SIGTERM)
            self._wait(AFTER_TERM, self.has_exited)
        if self.tells >= 0:
            self.ears.unregister(self.tells)
            os.close(self.tells)
        if by_itself and self.open:  # somebody it started lives on
            self._signal(signal.SIGTERM)
            self._wait(REST, self._is_silent)
        self._signal(signal.SIGKILL)
        self._wait(REST, self._is_silent)  # its last words
        status = self._process.wait()
        _close(self._process.stdout)
        _close(self._process.stderr)
        return status, by_itself

    def _is_silent(self) -> bool:
        return not self.open

    def _wait(self, seconds: float, done: Callable[[], bool]) -> bool:
        """Wait for something and read meanwhile: whoever cannot write cannot end."""
        end = monotonic() + seconds
        while not done():
            left = end - monotonic()
            if left <= 0:
                return False
            for fd, _ in self.ears.poll(min(left, LOOK) * 1000):
                if fd in self.open:
                    self.hear(fd)
        return True

    def _signal(self, sign: signal.Signals) -> None:
        try:
            os.killpg(self.pid, sign)
        except (ProcessLookupError, PermissionError):
            pass


def ended_with(status: int) -> str:
    if status >= 0:
        return f"it exited with status {status}" if status else "it exited"
    try:
        return f"it was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"it was killed by signal {-status}"


def _unblocked(stream: IO[bytes] | None) -> int:
    assert stream is not None
    os.set_blocking(stream.fileno(), False)
    return stream.fileno()


def _close(stream: IO[bytes] | None) -> None:
    assert stream is not None
    stream.close()


def _told_of(pid: int) -> int:
    """A file that can be read when the process has ended, where there is such a thing; else -1."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1
