"""The first process of a worker: made, known to everybody, and only then let go."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys

from deedlog.core.value import Value
from deedlog.process import mark_of
from deedlog.workers.memory import limit_self

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DIES_WITH_PARENT, ADOPTS_ORPHANS = 1, 36  # of prctl
NEVER_RAN = 127
BIG_ENDIAN_LENGTH = 4
LONGEST_REPORT = 4096


class Start(Value):
    """What to run. `confine`, if there is any, is called in the new process right before the program.

    `reports` is the option by which a sandbox, the first of `argv`, learns the file to report in.
    One that `listens` has a pipe for its standard input, in place of a file. `memory` is in megabytes, 0 for any.
    """

    argv: Sequence[str]
    folder: str
    stdin: str
    environment: Mapping[str, str]
    confine: Callable[[], None] | None = None
    reports: str = ""
    listens: bool = False
    memory: float = 0


class Child:
    """A process that waits to become the worker. `stdout`, `stderr`, perhaps `stdin` are our ends of its pipes."""

    def __init__(self, start: Start) -> None:
        heard, self.stdin = os.pipe() if start.listens else (-1, -1)
        self.stdout, out = os.pipe()
        self.stderr, err = os.pipe()
        waiting, self._going = os.pipe()
        self._failed, failing = os.pipe()
        self._reports, reporting = os.pipe()
        self._is_linux = sys.platform == "linux"
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _become(start, parent, (out, err, waiting, failing, reporting), self._going, heard)
        for file in (out, err, waiting, failing, reporting, *([heard] if start.listens else [])):
            os.close(file)
        self.mark = mark_of(self.pid)

    def go(self) -> str:
        """Let it run; what kept it from that, in words, or nothing."""
        try:
            os.write(self._going, b"!")
        except BrokenPipeError:
            pass  # it was killed; its end says so
        os.close(self._going)
        with os.fdopen(self._failed, "rb") as file:
            code = int.from_bytes(file.read(BIG_ENDIAN_LENGTH), "big")
        return os.strerror(code) if code else ""

    def report(self) -> bytes:
        """What a sandbox told; asked once, when it has ended."""
        os.set_blocking(self._reports, False)
        try:
            return os.read(self._reports, LONGEST_REPORT)
        except BlockingIOError:
            return b""
        finally:
            os.close(self._reports)

    def give_up(self) -> None:
        """It shall not run after all."""
        for file in (self._going, self._failed, self._reports):
            os.close(file)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        for file in (self.stdout, self.stderr, *([self.stdin] if self.stdin >= 0 else [])):
            os.close(file)


def _become(start: Start, parent: int, files: tuple[int, int, int, int, int], going: int, heard: int) -> None:
    """In the new process: never returns."""
    out, err, waiting, failing, reporting = files
    try:
        os.close(going)
        os.setsid()
        if sys.platform == "linux":
            prctl(DIES_WITH_PARENT, signal.SIGKILL)
        if not os.read(waiting, 1) or os.getppid() != parent:
            os._exit(NEVER_RAN)
        os.chdir(start.folder)
        given = heard if start.listens else os.open(start.stdin or os.devnull, os.O_RDONLY)
        for file, number in ((given, 0), (out, 1), (err, 2)):
            os.dup2(file, number)
        _forget_signals()
        if start.memory:
            limit_self(start.memory)
        if start.confine:
            start.confine()
        argv = list(start.argv)
        if start.reports:
            os.set_inheritable(reporting, True)
            argv[1:1] = [start.reports, str(reporting)]
        os.execvpe(argv[0], argv, dict(start.environment))  # noqa: S606  # no shell
    except OSError as error:
        os.write(failing, (error.errno or errno.EIO).to_bytes(BIG_ENDIAN_LENGTH, "big"))
    except BaseException:  # noqa: BLE001  # nothing of the supervisor may run here
        os.write(failing, errno.EINVAL.to_bytes(BIG_ENDIAN_LENGTH, "big"))
    os._exit(NEVER_RAN)


def _forget_signals() -> None:
    signal.set_wakeup_fd(-1)
    for sign in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD, signal.SIGURG):
        signal.signal(sign, signal.SIG_DFL)


def adopt_orphans() -> None:
    """From now on whoever loses its parent below this process becomes its child, and cannot get away."""
    if sys.platform == "linux":
        prctl(ADOPTS_ORPHANS, 1)


def prctl(option: int, value: int) -> None:
    """What the system cannot do is left out: there are other ways to find what is left of a worker."""
    _C.prctl(option, value, 0, 0, 0)


_C = ctypes.CDLL(None, use_errno=True)
