"""The queue in front of every write and every checkpoint of an embedded store."""

from __future__ import annotations

import _thread
import fcntl
import os
import time

from deedlog.store.database import not_written

FILE = "lock"
MADE = b"made\n"
SECONDS = 30.0


class WriterLock:
    """Fair, unlike SQLite's own busy handler; the system releases it when its holder dies.

    Nobody waits for ever for a holder that was stopped. The system's own queue knows no time
    limit, so whoever finds the lock taken lets a thread stand in it. Asking again and again
    needs no thread but is unfair: of 32 writers that never rest, with this one in a hundred
    waits 0.06 to 0.08 s (0.04 to 0.06 without the limit), with that 0.1 to 0.35 s, up to 1 s.

    The file says whether a store was made here, then which process took the lock last.
    """

    def __init__(self, folder: str, *, seconds: float = SECONDS) -> None:
        """Wait at most so many seconds; with 0 ask once, and see `held`."""
        self._path = os.path.join(folder, FILE)
        self._seconds = seconds
        self.held = False

    def __enter__(self) -> WriterLock:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self.held = self._take() or (self._seconds > 0 and self._queue())
            if self.held:
                os.pwrite(self._file, b"%10d\n" % os.getpid(), len(MADE))
            elif self._seconds:
                raise self._busy()
        except BaseException:
            os.close(self._file)
            raise
        return self

    def _take(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _queue(self) -> bool:
        """Both descriptors are of one lock: it is free again when both are closed, whoever closes last."""
        standing = os.dup(self._file)
        in_time = _thread.allocate_lock()
        in_time.acquire()

        def stand() -> None:
            try:
                fcntl.flock(standing, fcntl.LOCK_EX)
                in_time.release()
            finally:
                os.close(standing)

        _thread.start_new_thread(stand, ())  # `threading` costs twice as much for each
        return in_time.acquire(timeout=self._seconds)

    def _busy(self) -> Exception:
        holder = os.pread(self._file, 32, len(MADE)).decode("ascii", "replace").strip() or "unknown"
        held = max(0, round(time.time() - os.fstat(self._file).st_mtime))
        return not_written(
            f"the store is busy: process {holder} has held it for {held} seconds",
            f"repeat when it is done; if it was stopped, let it go on or end it: kill -CONT {holder}",
        )

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def marked(self) -> bool:
        """Whether a store was made here before."""
        return os.pread(self._file, len(MADE), 0) == MADE

    def mark(self) -> None:
        os.pwrite(self._file, MADE, 0)
