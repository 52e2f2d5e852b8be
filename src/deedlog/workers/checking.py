"""One command of the definition of done: run in a group of its own, with the end of what it prints."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time

from deedlog.ports import CheckRun
from deedlog.process import mark_of
from deedlog.workers.environment import for_worker
from deedlog.workers.guarding import DONE, Guard
from deedlog.workers.remains import end_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO

LAST_CHARACTERS = 20_000
KEPT_BYTES = LAST_CHARACTERS * 4
PIECE = 65_536
LOOK = 0.1
GRACE = 5.0
DRAINING = 1.0
PAUSE = 0.01
TIMEOUT = "timeout"


def check(command: Sequence[str], folder: str, seconds: float, stop: Callable[[], bool]) -> CheckRun:
    token = os.urandom(16).hex()
    with Guard(token) as guard:
        run = _run(command, folder, seconds, stop, token, guard)
        guard.tell(DONE)
    return run


def _run(
    command: Sequence[str], folder: str, seconds: float, stop: Callable[[], bool], token: str, guard: Guard
) -> CheckRun:
    began = time.monotonic()
    try:
        process = subprocess.Popen(  # noqa: S603  # an argument list
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=for_worker(os.environ) | {"DEEDLOG_WORKER": token},
        )
    except (OSError, ValueError) as error:
        return CheckRun(exit_code=None, output="", seconds=0.0, problem=_not_started(command, folder, error))
    guard.tell(mark_of(process.pid))
    assert process.stdout is not None
    with process.stdout as output:
        tail = _Tail(output)
        problem = _wait(process, tail, began + seconds, stop)
        _end(process)
        end_all(token, "")
        tail.drain(DRAINING)
    code = process.returncode
    if problem == TIMEOUT:
        problem = f"it was not done after {seconds:g} s and was ended"
    return CheckRun(
        exit_code=None if problem else code if code >= 0 else 128 - code,
        output=tail.text(),
        seconds=round(time.monotonic() - began, 3),
        problem=problem,
    )


def _wait(process: subprocess.Popen[bytes], tail: _Tail, end: float, stop: Callable[[], bool]) -> str:
    """Until the process has ended, or must; what was wrong, if anything was."""
    while process.poll() is None:
        if stop():
            return "it was stopped"
        if time.monotonic() >= end:
            return TIMEOUT
        tail.read(min(LOOK, max(0.0, end - time.monotonic())))
    return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """TERM, then KILL of the whole group; one that has ended leaves no children behind either."""
    if process.poll() is None:
        _to_group(process.pid, signal.SIGTERM)
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
    _to_group(process.pid, signal.SIGKILL)
    process.wait()


def _to_group(group: int, sign: int) -> None:
    try:
        os.killpg(group, sign)
    except (ProcessLookupError, PermissionError):
        pass


class _Tail:
    """The end of what comes through a pipe."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        os.set_blocking(pipe.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(pipe, selectors.EVENT_READ)
        self._kept = bytearray()
        self._cut = False
        self.open = True

    def read(self, seconds: float) -> bool:
        """Wait so long for a piece; returns whether there was one."""
        if not self.open:
            time.sleep(min(seconds, PAUSE))
            return False
        if not self._selector.select(seconds):
            return False
        piece = os.read(self._pipe.fileno(), PIECE)
        self.open = bool(piece)
        self._kept += piece
        if len(self._kept) > 2 * KEPT_BYTES:
            del self._kept[:-KEPT_BYTES]
            self._cut = True
        return bool(piece)

    def drain(self, seconds: float) -> None:
        """What is still in the pipe; whoever left the group may hold it open for ever."""
        end = time.monotonic() + seconds
        while self.open and self.read(0) and time.monotonic() < end:
            pass
        self._selector.close()

    def text(self) -> str:
        text = self._kept.decode("utf-8", "replace").replace("\0", "\ufffd")
        if self._cut or len(text) > LAST_CHARACTERS:
            return "…\n" + text[-LAST_CHARACTERS + 2 :]
        return text


def _not_started(command: Sequence[str], folder: str, error: OSError | ValueError) -> str:
    name = command[0] if command else ""
    if isinstance(error, ValueError):
        return "an argument holds a NUL character"
    if isinstance(error, FileNotFoundError):
        return f"there is no program {name!r}" if os.path.isdir(folder) else "its folder is gone"
    if isinstance(error, PermissionError):
        return f"{name!r} may not be run"
    return f"{name!r} cannot be run: {error.strerror}"
