"""How other processes learn of a commit: one byte to each watcher's socket, and a slow poll behind it.

The poll makes it right, the bell makes it fast. A wake-up carries no data: watchers read the log.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

POLL_SECONDS = 0.5
LONGEST_PATH = 85  # with the bell's own name it must fit in 104 bytes on macOS, 108 on Linux


def bell_folder(store: str) -> str:
    """Beside the store; in a short temporary folder of its own when that path is too long for a socket."""
    folder = os.path.join(store, "bells")
    if len(os.fsencode(folder)) <= LONGEST_PATH:
        return folder
    import hashlib  # rare, and costs a third of a start

    name = hashlib.sha256(os.fsencode(os.path.realpath(store))).hexdigest()[:16]
    return f"/tmp/deedlog-{os.getuid()}-{name}"  # noqa: S108  # only used when `_private`


def _private(folder: str) -> bool:
    """Whether nobody else could have put the folder, or anything in it, there."""
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def ring(store: str) -> None:
    """Wake the watchers. What was committed stays committed: a bell that cannot be rung is no failure."""
    folder = bell_folder(store)
    try:
        bells = os.listdir(folder) if _private(folder) else []
        if bells:
            _ring(folder, bells)
    except (OSError, ImportError):
        pass  # no descriptor is left, not even to import with: the poll will do


def _ring(folder: str, bells: list[str]) -> None:
    import socket  # only when somebody listens

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as clapper:
        clapper.setblocking(False)
        for bell in bells:
            path = f"{folder}/{bell}"
            try:
                clapper.sendto(b"!", path)
            except ConnectionRefusedError:
                _take_down(path)  # its owner died without doing so
            except OSError:
                pass  # a full bell has not been heard yet: it will be


def _take_down(path: str) -> None:
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
    except OSError:
        pass


class BellWatch:
    """One watcher's bell. `version` answers differently after a commit; `done` is called at the end."""

    def __init__(self, store: str, version: Callable[[], object], done: Callable[[], object]) -> None:
        self._version = version
        self._seen = version()
        self._done = done
        self._path = ""
        self._bell = self._hang(bell_folder(store))

    def _hang(self, folder: str) -> socket.socket | None:
        import socket  # only when somebody listens

        for _ in range(3):  # another watcher may just be removing the folder
            try:
                bell = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            except OSError:
                return None  # no descriptor is left: the poll alone will do
            path = f"{folder}/{os.getpid()}.{os.urandom(4).hex()}"
            try:
                os.makedirs(folder, mode=0o700, exist_ok=True)
                if not _private(folder):
                    raise PermissionError(folder)
                bell.bind(path)
            except FileNotFoundError:
                bell.close()
            except OSError:
                bell.close()  # a folder we cannot write: the poll alone will do
                return None
            else:
                bell.setblocking(False)
                self._path = path
                return bell
        return None

    def wait(self, seconds: float) -> bool:
        import select  # only when somebody listens
        import time

        end = time.monotonic() + seconds
        bell = select.poll()
        if self._bell:
            bell.register(self._bell, select.POLLIN)
        while True:
            left = end - time.monotonic()
            rang = bell.poll(1000 * max(0, min(left, POLL_SECONDS)))
            if rang:
                self._hear()
            if self._changed() or rang:
                return True
            if left <= 0:
                return False

    def _hear(self) -> None:
        """Take every byte that came, so that the bell can ring anew."""
        while self._bell:
            try:
                self._bell.recv(1)
            except BlockingIOError:
                return

    def _changed(self) -> bool:
        before, self._seen = self._seen, self._version()
        return before != self._seen

    def close(self) -> None:
        if self._bell:
            self._bell.close()
            self._bell = None
            _take_down(self._path)
            try:
                os.rmdir(os.path.dirname(self._path))
            except OSError:
                pass  # others still listen
        self._done()
