"""What a supervisor leaves on the machine while it lives: `<store>/workers/<session number>`, locked by it.

The system lets go of the lock when the supervisor dies, however it dies: a file that nobody has locked tells
of a session that somebody else must settle.
"""

from __future__ import annotations

import fcntl
import os

from deedlog.core.errors import Part, Unavailable
from deedlog.core.value import Value
from deedlog.process import this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 4096


class Trace(Value):
    """`token` is in the environment of every process of the worker; `leader` marks the first of them."""

    process: str
    host: str
    token: str
    leader: str = ""

    def text(self) -> str:
        return f"{self.process}\n{self.host}\n{self.token}\n{self.leader}\n"


class Traces:
    def __init__(self, store: str) -> None:
        self.folder = os.path.join(store, "workers")

    def path(self, number: int) -> str:
        return os.path.join(self.folder, str(number))

    def log(self, number: int) -> str:
        """The file for what the supervisor itself has to say."""
        return os.path.join(self.folder, f"{number}.log")

    def make(self) -> None:
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise Unavailable(
                f"{self.folder} cannot be made: {error.strerror}",
                hint="check the space and the permissions there",
                part=Part.DATABASE,
            ) from error

    def read(self, number: int) -> Trace | None:
        try:
            with open(self.path(number), encoding="utf-8", errors="replace") as file:
                return _parsed(file.read())
        except OSError:
            return None

    def free(self) -> list[tuple[int, Trace]]:
        """Those whose supervisors are dead, wherever they were."""
        found = ((number, self._free(number)) for number in self._numbers())
        return [(number, trace) for number, trace in found if trace]

    def _numbers(self) -> Iterator[int]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return
        yield from sorted(int(name) for name in names if name.isdigit())

    def _free(self, number: int) -> Trace | None:
        try:
            file = os.open(self.path(number), os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return _parsed(os.read(file, LONGEST).decode("utf-8", "replace"))
        except OSError:
            return None
        finally:
            os.close(file)

    def scratch(self, number: int) -> str:
        """A folder for temporary files of the worker, where it needs one of its own."""
        return os.path.join(self.folder, f"{number}.tmp")

    def clean_up(self, number: int) -> None:
        """Let go of what else there was: temporary files, and a log that says nothing."""
        if os.path.isdir(self.scratch(number)):
            import shutil  # hardly ever needed

            shutil.rmtree(self.scratch(number), ignore_errors=True)
        try:
            if not os.path.getsize(self.log(number)):
                os.unlink(self.log(number))
        except OSError:
            pass

    def remove(self, number: int) -> None:
        self.clean_up(number)
        try:
            os.unlink(self.path(number))
        except FileNotFoundError:
            pass


class Held:
    """The trace of this process; the lock is taken before anybody can see the file."""

    def __init__(self, traces: Traces, number: int, host: str) -> None:
        traces.make()
        self._path = traces.path(number)
        self.trace = Trace(process=this_process(), host=host, token=os.urandom(16).hex())
        draft = f"{self._path}.{os.getpid()}"
        self._file = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._write()
        os.rename(draft, self._path)
        folder = os.open(traces.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def lead(self, leader: str) -> None:
        """Let others know the worker before it does anything."""
        self.trace = self.trace.replace(leader=leader)
        self._write()

    def _write(self) -> None:
        data = self.trace.text().encode()
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))
        os.fsync(self._file)

    def drop(self) -> None:
        """Nothing is left to settle."""
        try:
            os.unlink(self._path)
        except FileNotFoundError:
            pass
        os.close(self._file)


def _parsed(text: str) -> Trace | None:
    lines = text.split("\n")
    if len(lines) < len(("process", "host", "token", "leader")) + 1:
        return None
    return Trace(process=lines[0], host=lines[1], token=lines[2], leader=lines[3])
