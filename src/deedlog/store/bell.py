"""How other processes learn of a commit: one byte to each watcher's socket, and a slow poll behind it.

The poll makes it right, the bell makes it fast. A wake-up carries no data: watchers read the log.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

POLL_SECONDS = 0.25
LONGEST_PATH = 90  # a socket's path must fit in 104 bytes on macOS, 108 on Linux


def bell_folder(store: str) -> str:
    """Beside the store; in a short temporary folder of its own when that path is too long for a socket."""
    folder = os.path.join(store, "bells")
    if len(os.fsencode(folder)) <= LONGEST_PATH:
        return folder
    import hashlib  # rare, and costs a third of a start

    name = hashlib.sha256(os.fsencode(os.path.realpath(store))).hexdigest()[:16]
    return f"/tmp/deedlog-{os.getuid()}-{name}"  # noqa: S108  # private: made 0700 and checked by its owner


def ring(store: str) -> None:
    folder = bell_folder(store)
    try:
        bells = os.listdir(folder)
    except OSError:
        return
    if not bells:
        return
    import socket  # only when somebody listens

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as clapper:
        clapper.setblocking(False)
        for bell in bells:
            path = f"{folder}/{bell}"
            try:
                clapper.sendto(b"!", path)
            except ConnectionRefusedError:
                _remove(path)  # its owner died without taking it down
            except OSError:
                pass  # a full bell has not been heard yet: it will be


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


class BellWatch:
    """One watcher's bell. `version` answers differently after another connection has committed."""

    def __init__(self, store: str, version: Callable[[], object]) -> None:
        self._version = version
        self._seen = version()
        self._path = ""
        self._bell = self._hang(bell_folder(store))

    def _hang(self, folder: str) -> socket.socket | None:
        import socket  # only when somebody listens

        bell = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = f"{folder}/{os.getpid()}.{os.urandom(4).hex()}"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if os.stat(folder).st_uid != os.getuid():
                raise PermissionError(folder)
            bell.bind(path)
        except OSError:
            bell.close()  # a folder we cannot write: the poll alone will do
            return None
        bell.setblocking(False)
        self._path = path
        return bell

    def fileno(self) -> int:
        return self._bell.fileno() if self._bell else -1

    def wait(self, seconds: float) -> bool:
        import select  # only when somebody listens
        import time

        end = time.monotonic() + seconds
        while True:
            if self._rang() or self._changed():
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            select.select([self._bell] if self._bell else [], [], [], min(left, POLL_SECONDS))

    def _rang(self) -> bool:
        rang = False
        while self._bell:
            try:
                self._bell.recv(1)
                rang = True
            except BlockingIOError:
                break
        return rang

    def _changed(self) -> bool:
        before, self._seen = self._seen, self._version()
        return before != self._seen

    def close(self) -> None:
        if self._bell:
            self._bell.close()
            self._bell = None
            _remove(self._path)
