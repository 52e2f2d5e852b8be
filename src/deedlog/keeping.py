"""What the store keeps of one work tree, for the engines that take snapshots.

In `<store>/trees/<key of the tree>/`: `snapshots/<snapshot id>`, `lock`, and what else an engine needs.
"""

from __future__ import annotations

import binascii
import fcntl
import hashlib
import os
import time

from deedlog.core.errors import NotFound, Part, Unavailable
from deedlog.process import is_dead, this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GRACE = 3600
SECONDS = 60.0
PAUSE = 0.01
MAGIC = b"deedlog snapshot 1\n"
CHECKSUM = 4
UNFINISHED = ".tmp"


class TreeFolder:
    """Several processes may use one at the same time."""

    def __init__(self, folder: str, tree: str) -> None:
        self.key = hashlib.blake2b(os.fsencode(os.path.realpath(tree)), digest_size=10).hexdigest()
        self.folder = os.path.join(folder, self.key)
        # two stores may keep snapshots of one tree
        self.own_key = hashlib.blake2b(os.fsencode(os.path.realpath(self.folder)), digest_size=10).hexdigest()
        self._snapshots = os.path.join(self.folder, "snapshots")

    def path(self, name: str) -> str:
        """Where something of that name lies. The folder is there after `lock`, `put` or `write`."""
        return os.path.join(self.folder, name)

    def lock(self, *, seconds: float = SECONDS) -> TreeLock:
        """A context in which nobody else is in one; the system lets go of it when its holder dies."""
        self._make()
        return TreeLock(self.path("lock"), seconds)

    def write(self, snapshot_id: str, data: bytes) -> None:
        """Keep a snapshot. It is on disk, whole, when this returns."""
        self._put(self._place(snapshot_id), _header(data, this_process().encode()) + data)

    def read(self, snapshot_id: str) -> bytes:
        """What was kept, or `NotFound` when it is not there or no longer whole."""
        try:
            with open(self._place(snapshot_id), "rb") as file:
                kept = file.read()
        except FileNotFoundError:
            raise _lost(snapshot_id, "is not on this machine") from None
        except OSError as error:
            raise _failed("read", self._snapshots, error) from error
        data = _checked(kept)
        if data is None:
            raise _lost(snapshot_id, "is damaged")
        return data

    def share(self, snapshot_id: str, name: str) -> None:
        """Let a snapshot also be found under a name that `forget` does not know."""
        place, unfinished = self._place(snapshot_id), self._unfinished(self.path(name))
        try:
            os.link(place, unfinished)
            os.replace(unfinished, self.path(name))
        except OSError:  # a file system without links
            remove(unfinished)
            with open(place, "rb") as file:
                self.put(name, file.read())

    def shared(self, name: str) -> bytes | None:
        """What was shared under that name last, if it is there and whole."""
        try:
            with open(self.path(name), "rb") as file:
                return _checked(file.read())
        except OSError:
            return None

    def put(self, name: str, data: bytes) -> None:
        """Write a file of this folder: until this returns it is as it was before, then new, never half of either."""
        self._put(self.path(name), data)

    def _put(self, path: str, data: bytes) -> None:
        self._make()
        unfinished = self._unfinished(path)
        try:
            file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                _write_all(file, data)
                os.fsync(file)
            finally:
                os.close(file)
            os.replace(unfinished, path)
            _sync_folder(os.path.dirname(path))
        except OSError as error:
            remove(unfinished)
            raise _failed("written", path, error) from error

    def ids(self) -> list[str]:
        """The snapshots there are."""
        return sorted(name for name in _names(self._snapshots) if not name.endswith(UNFINISHED))

    def abandoned(self) -> list[str]:
        """The snapshots whose takers are dead: what these have not committed by now, they never will."""
        found = []
        for name in self.ids():
            taker = _taker(os.path.join(self._snapshots, name))
            if taker and is_dead(taker):
                found.append(name)
        return found

    def forget(self, keep: Sequence[str], done: Sequence[str] = ()) -> list[str]:
        """Remove all snapshots but those to `keep` and young ones that are not `done`; returns which went.

        A young one may have been taken by a call that has yet to commit what names it.
        """
        gone = []
        for name in set(self.ids()).difference(keep):
            path = os.path.join(self._snapshots, name)
            if (name in done or _age(path) >= GRACE) and remove(path):
                gone.append(name)
        for folder in (self.folder, self._snapshots):
            _clear(folder)
        return sorted(gone)

    def _unfinished(self, path: str) -> str:
        return f"{path}.{os.getpid()}-{os.urandom(4).hex()}{UNFINISHED}"

    def _make(self) -> None:
        try:
            os.makedirs(self._snapshots, mode=0o700, exist_ok=True)
        except OSError as error:
            raise _failed("made", self._snapshots, error) from error

    def _place(self, snapshot_id: str) -> str:
        if not snapshot_id.replace("-", "").isalnum():  # a name from elsewhere must not lead out of the folder
            raise _lost(snapshot_id, "has a name no snapshot has")
        return os.path.join(self._snapshots, snapshot_id)


class TreeLock:
    def __init__(self, path: str, seconds: float, what: str = "the work tree's snapshots are") -> None:
        self._path = path
        self._seconds = seconds
        self._what = what

    def __enter__(self) -> TreeLock:
        self.file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._wait()
            os.pwrite(self.file, b"%10d\n" % os.getpid(), 0)
        except BaseException:
            os.close(self.file)
            raise
        return self

    def _wait(self) -> None:
        end = time.monotonic() + self._seconds
        while True:
            try:
                return fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    raise self._busy() from None
            time.sleep(PAUSE)

    def _busy(self) -> Unavailable:
        holder = os.pread(self.file, 32, 0).decode("ascii", "replace").strip() or "unknown"
        return Unavailable(
            f"{self._what} busy: process {holder} has held them for more than {self._seconds:g} s",
            hint=f"repeat when it is done; if it was stopped, let it go on or end it: kill -CONT {holder}",
            part=Part.GIT,
        )

    def __exit__(self, *_: object) -> None:
        os.close(self.file)


def _header(data: bytes, taker: bytes) -> bytes:
    return MAGIC + taker + b"\n" + binascii.crc32(data).to_bytes(CHECKSUM, "big")


def _checked(kept: bytes) -> bytes | None:
    """What stands behind the header, if that is right."""
    end = kept.find(b"\n", len(MAGIC))
    data = kept[end + 1 + CHECKSUM :]
    return data if end > 0 and kept.startswith(_header(data, kept[len(MAGIC) : end])) else None


def _taker(path: str) -> str:
    """The process that took a snapshot; empty for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.readline().decode().strip() if file.readline() == MAGIC else ""
    except OSError:
        return ""


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_folder(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _clear(folder: str) -> None:
    """Remove what killed processes left half written."""
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name.endswith(UNFINISHED) and _age(path) >= GRACE:
            remove(path)


def _age(path: str) -> float:
    try:
        return time.time() - os.stat(path).st_mtime
    except FileNotFoundError:
        return 0


def remove(path: str) -> bool:
    """Remove a file; returns whether it was there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _lost(snapshot_id: str, how: str) -> NotFound:
    return NotFound(f"the snapshot {snapshot_id} {how}", part=Part.GIT, data={"snapshot_id": snapshot_id})


def _failed(what: str, path: str, error: OSError) -> Unavailable:
    return Unavailable(
        f"{path} cannot be {what}: {error.strerror}",
        hint="check the space and the permissions there",
        part=Part.DATABASE,
    )
