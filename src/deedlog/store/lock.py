"""The queue in front of every write and every checkpoint of an embedded store."""

from __future__ import annotations

import fcntl
import os

FILE = "lock"


class WriterLock:
    """Fair, unlike SQLite's own busy handler; the system releases it when its holder dies."""

    def __init__(self, folder: str, *, patient: bool = True) -> None:
        self._path = os.path.join(folder, FILE)
        self._patient = patient
        self.held = False

    def __enter__(self) -> WriterLock:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX if self._patient else fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.held = True
        except BlockingIOError:
            pass
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def marked(self) -> bool:
        """Whether a store was made here before."""
        return os.fstat(self._file).st_size > 0

    def mark(self) -> None:
        os.pwrite(self._file, b"made\n", 0)
