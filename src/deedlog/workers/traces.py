"""What a supervisor leaves on the machine while it lives: `<store>/workers/<session number>-<process>`, locked by it.

The driver of a run does the same: `<store>/runs/<run id>-<process>`.

The system lets go of the lock when the supervisor dies, however it dies: a file that nobody has locked tells
of a session that somebody else must settle. A session may have two supervisors for a moment, when two calls start
it at once; each has a file of its own, so that the one that is not needed takes nothing from the other.
"""

from __future__ import annotations

import fcntl
import os

from deedlog.core.errors import Part, Unavailable
from deedlog.core.value import Value
from deedlog.process import this_process

LONGEST = 4096
WORKERS, RUNS = "workers", "runs"
SOCKET = "socket"  # the name of a worker's socket in its folder


class Trace(Value):
    """`token` is in the environment of every process of the worker; `leader` marks the first of them.

    `socket` is the folder of the socket through which the worker reports.
    """

    process: str
    host: str
    token: str
    leader: str = ""
    socket: str = ""

    def text(self) -> str:
        return f"{self.process}\n{self.host}\n{self.token}\n{self.leader}\n{self.socket}\n"


class Traces:
    """Each has the number of its session, or the id of its run, for a name."""

    def __init__(self, store: str, folder: str = WORKERS) -> None:
        self.folder = os.path.join(store, folder)

    def path(self, name: int | str, pid: int) -> str:
        return os.path.join(self.folder, f"{name}-{pid}")

    def log(self, number: int | str) -> str:
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

    def free(self, name: int | str | None = None) -> list[tuple[str, str, Trace]]:
        """Those whose processes are dead, wherever they were: of one session or run, or of all."""
        listed = [(known, path) for known, path in self._listed() if name is None or known == str(name)]
        found = ((known, path, _free(path)) for known, path in listed)
        return [(known, path, trace) for known, path, trace in found if trace]

    def _listed(self) -> list[tuple[str, str]]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return []
        parts = [(name, *name.rpartition("-")[::2]) for name in names]
        mine = [(known, name) for name, known, pid in parts if known and pid.isdecimal()]
        return [(known, os.path.join(self.folder, name)) for known, name in sorted(mine)]

    def scratch(self, number: int | str) -> str:
        """A folder for temporary files of the worker, where it needs one of its own."""
        return os.path.join(self.folder, f"{number}.tmp")

    def environment(self, number: int) -> str:
        """The file with variables for the worker, which only its user may read."""
        return os.path.join(self.folder, f"{number}.env")

    def keep_environment(self, number: int, text: str) -> None:
        self.make()
        with open(self.environment(number), "w", encoding="utf-8", opener=_private) as file:
            file.write(text)

    def clean_up(self, number: int | str) -> None:
        """Let go of what else there was: temporary files, and a log that says nothing."""
        if any(known == str(number) for known, _ in self._listed()):
            return  # another supervisor of that session uses them
        _unlink(os.path.join(self.folder, f"{number}.env"))
        if os.path.isdir(self.scratch(number)):
            import shutil  # hardly ever needed

            shutil.rmtree(self.scratch(number), ignore_errors=True)
        try:
            if not os.path.getsize(self.log(number)):
                os.unlink(self.log(number))
        except OSError:
            pass

    def forget_log(self, number: int) -> None:
        _unlink(self.log(number))
        _unlink(self.environment(number))

    def remove(self, number: int | str) -> None:
        """Let go of what dead supervisors of a session, or drivers of a run, left."""
        for _, path, trace in self.free(number):
            if trace.socket:
                remove_socket(trace.socket)
            _unlink(path)
        self.clean_up(number)


class Held:
    """The trace of this process; the lock is taken before anybody can see the file."""

    def __init__(self, traces: Traces, name: int | str, host: str) -> None:
        traces.make()
        self._path = traces.path(name, os.getpid())
        self.trace = Trace(process=this_process(), host=host, token=os.urandom(16).hex())
        draft = f"{self._path}.draft"
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

    def listen(self, folder: str) -> None:
        """Let others know where the worker's socket is going to be."""
        self.trace = self.trace.replace(socket=folder)
        self._write()

    def _write(self) -> None:
        data = self.trace.text().encode()
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))
        os.fsync(self._file)

    def drop(self) -> None:
        """Nothing is left to settle."""
        _unlink(self._path)
        os.close(self._file)


def remove_socket(folder: str) -> None:
    """Remove a socket and its folder. A worker may have put a link there: none is followed."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        os.unlink(SOCKET, dir_fd=opened)
    except OSError:
        pass  # it was never made, or the worker removed it
    finally:
        os.close(opened)
    try:
        os.rmdir(folder)
    except OSError:
        pass  # the worker left something of its own in it


def _free(path: str) -> Trace | None:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return _parsed(os.read(file, LONGEST).decode("utf-8", "replace"))
    except OSError:
        return None
    finally:
        os.close(file)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _parsed(text: str) -> Trace | None:
    lines = text.split("\n")
    if len(lines) < len(("process", "host", "token", "leader")) + 1:
        return None
    process, host, token, leader, *more = lines
    return Trace(process=process, host=host, token=token, leader=leader, socket=more[0])
