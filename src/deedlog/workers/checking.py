"""One command of the definition of done: run in a group of its own, with the end of what it prints."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time

from deedlog.core.value import Value
from deedlog.ports import CheckRun
from deedlog.process import mark_of
from deedlog.workers.confined import confined
from deedlog.workers.environment import for_worker
from deedlog.workers.guarding import DONE, Guard
from deedlog.workers.remains import ask_group, end_all
from deedlog.workers.sandbox import Sandbox, sandbox_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO

    from deedlog.workers.place import Place

LAST_CHARACTERS = 20_000
KEPT_BYTES = LAST_CHARACTERS * 4
PIECE = 65_536
LOOK = 0.1
GRACE = 5.0
DRAINING = 1.0
PAUSE = 0.01
TIMEOUT = "timeout"


class Limits(Value):
    """How long a check may run, and what stops it earlier."""

    seconds: float
    stop: Callable[[], bool]


def check(
    command: Sequence[str], folder: str, seconds: float, stop: Callable[[], bool], place: Place, named: Sequence[str]
) -> CheckRun:
    """Run a command that may write all of a folder, and else what a worker may. The user `named` variables for it."""
    token = os.urandom(16).hex()
    try:
        try:
            sandbox = sandbox_for(place.replace(tree=folder), {}, own=())
        except OSError as error:
            return CheckRun(exit_code=None, output="", seconds=0.0, problem=f"it was not run: {error.strerror}")
        with Guard(token) as guard:
            run = _run(command, folder, Limits(seconds=seconds, stop=stop), token, guard, sandbox, named)
            guard.tell(DONE)
    finally:
        shutil.rmtree(place.scratch, ignore_errors=True)
    return run.replace(enforcement=sandbox.name)


def _run(
    command: Sequence[str],
    folder: str,
    limits: Limits,
    token: str,
    guard: Guard,
    sandbox: Sandbox,
    named: Sequence[str],
) -> CheckRun:
    began = time.monotonic()
    more = {"DEEDLOG_WORKER": token, **({"TMPDIR": sandbox.temporary} if sandbox.temporary else {})}
    if problem := _not_there(command, folder):
        return CheckRun(exit_code=None, output="", seconds=0.0, problem=problem)
    try:
        process = subprocess.Popen(  # noqa: S603  # an argument list
            confined(sandbox, command),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=for_worker(os.environ, named=named) | more,
        )
    except (OSError, ValueError) as error:
        return CheckRun(exit_code=None, output="", seconds=0.0, problem=_not_started(command, folder, error))
    guard.tell(mark_of(process.pid))
    assert process.stdout is not None
    with process.stdout as output:
        tail = _Tail(output)
        problem = _wait(process, tail, began + limits.seconds, limits.stop)
        _end(process, is_sandbox=sandbox.is_process)
        end_all(token, "")
        tail.drain(DRAINING)
    code = process.returncode
    if problem == TIMEOUT:
        problem = f"it was not done after {limits.seconds:g} s and was ended"
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


def _end(process: subprocess.Popen[bytes], *, is_sandbox: bool) -> None:
    """TERM, then KILL of the whole group; one that has ended leaves no children behind either."""
    if process.poll() is None:
        ask_group(process.pid, but_for_leader=is_sandbox)
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


def _not_there(command: Sequence[str], folder: str) -> str:
    """Why a command cannot be run, found before a sandbox hides the reason."""
    if not os.path.isdir(folder):
        return "its folder is gone"
    name = command[0] if command else ""
    path = os.path.join(folder, name) if os.sep in name else name
    if any("\0" in word for word in command) or shutil.which(path):
        return ""
    return _not_started(command, folder, PermissionError() if os.path.exists(path) else FileNotFoundError())


def _not_started(command: Sequence[str], folder: str, error: OSError | ValueError) -> str:
    name = command[0] if command else ""
    if isinstance(error, ValueError):
        return "an argument holds a NUL character"
    if isinstance(error, FileNotFoundError):
        return f"there is no program {name!r}" if os.path.isdir(folder) else "its folder is gone"
    if isinstance(error, PermissionError):
        return f"{name!r} may not be run"
    return f"{name!r} cannot be run: {error.strerror}"
