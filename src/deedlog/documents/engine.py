"""Files below `.deedlog/` that show what the store holds.

Every file is either as it was before or new, whatever kills the writer. Links are never followed: a repository
may bring some. What others put into such a folder, or changed there, is never lost: it is left alone, or moved
aside where it is in the way. `.exported` has a line for each content that was written here: its digest and path.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import time

from deedlog.core.errors import Invalid, Part, Unavailable
from deedlog.folders import FILE, NEW, open_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Written = set[tuple[str, str]]

RECORD, LOCK, DRAFT = ".exported", ".lock", ".draft-"
LONGEST = 200
SECONDS = 20.0
PAUSE = 0.02
LOCKED = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class StateDocuments:
    def __init__(self, state: str) -> None:
        self._state = state

    def export(self, folder: str, files: Mapping[str, str]) -> str:
        where = os.path.join(self._state, folder)
        for path in (folder, *files):
            _check(path)
        try:
            state = os.open(self._state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                with Folder(state, folder) as opened, Locked(opened):
                    Export(opened).let_it_hold({path: text.encode() for path, text in files.items()})
            finally:
                os.close(state)
        except OSError as error:
            raise Unavailable(
                f"{where} cannot be written: {error.strerror}",
                hint="links are not followed there; check what is there and its permissions",
                part=Part.CONFIGURATION,
                data={"folder": where},
            ) from error
        return where


def _check(path: str) -> None:
    for name in path.split("/"):
        if not name or name.startswith(".") or len(os.fsencode(name)) > LONGEST or not name.isprintable():
            raise Invalid(f"{path[:80]!r} cannot be the name of a file here", data={"path": path[:80]})


class Folder:
    """A folder below another one, opened without following links and made where it is missing."""

    def __init__(self, parent: int, path: str) -> None:
        self.file = open_folder(parent, path)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_raised: object) -> None:
        os.close(self.file)


class Locked:
    """A context in which nobody else writes a folder; the system lets go of it when its holder dies."""

    def __init__(self, folder: Folder) -> None:
        self._file = os.open(LOCK, LOCKED, 0o600, dir_fd=folder.file)

    def __enter__(self) -> None:
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                return fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    os.close(self._file)
                    raise
                time.sleep(PAUSE)

    def __exit__(self, *_raised: object) -> None:
        os.close(self._file)


class Export:
    """One run that brings a folder to what it shall hold. Two at once would undo each other."""

    def __init__(self, folder: Folder) -> None:
        self._top = folder.file
        _drop_drafts(self._top)
        self._written = _record(self._top)

    def let_it_hold(self, files: Mapping[str, bytes]) -> None:
        wanted = {(_digest(data), path) for path, data in files.items()}
        if not wanted <= self._written:
            self._remember(self._written | wanted)  # before the files: whoever finds them knows them as ours
        for path, data in files.items():
            self._put(path, data)
        for path in {path for _, path in self._written} - set(files):
            self._drop(path)
        if self._written != wanted:
            self._remember(wanted)

    def _put(self, path: str, data: bytes) -> None:
        parent, _, name = path.rpartition("/")
        with Folder(self._top, parent or ".") as folder:
            there = _read(folder.file, name)
            if there == data:
                return
            if there is not None and (_digest(there), path) not in self._written:
                os.rename(name, f"{name}.{_digest(there)[:8]}", src_dir_fd=folder.file, dst_dir_fd=folder.file)
            self._write(folder.file, name, data)

    def _drop(self, path: str) -> None:
        parent, _, name = path.rpartition("/")
        try:
            with Folder(self._top, parent or ".") as folder:
                there = _read(folder.file, name)
                if there is not None and (_digest(there), path) in self._written:
                    os.unlink(name, dir_fd=folder.file)
            if parent:
                os.rmdir(parent, dir_fd=self._top)
        except OSError:  # it is no folder any more, or holds something else
            pass

    def _remember(self, written: Written) -> None:
        lines = "".join(f"{digest} {path}\n" for digest, path in sorted(written))
        self._write(self._top, RECORD, lines.encode())
        self._written = self._written | written

    def _write(self, folder: int, name: str, data: bytes) -> None:
        draft = f"{DRAFT}{os.getpid()}-{os.urandom(4).hex()}"
        with open(os.open(draft, NEW, 0o444, dir_fd=self._top), "wb") as file:
            file.write(data)
        os.replace(draft, name, src_dir_fd=self._top, dst_dir_fd=folder)


def _drop_drafts(folder: int) -> None:
    """What a dead writer left; only the holder of the lock writes drafts, all of them here."""
    for name in os.listdir(folder):
        if name.startswith(DRAFT):
            os.unlink(name, dir_fd=folder)


def _record(folder: int) -> Written:
    lines = (_read(folder, RECORD) or b"").decode(errors="replace").splitlines()
    found = {(digest, path) for digest, space, path in (line.partition(" ") for line in lines) if space}
    return {(digest, path) for digest, path in found if _is_harmless(path)}


def _is_harmless(path: str) -> bool:
    try:
        _check(path)
    except Invalid:
        return False
    return True


def _read(folder: int, name: str) -> bytes | None:
    """What a file holds; nothing where there is none. What is no file holds what nobody writes here."""
    try:
        kind = os.lstat(name, dir_fd=folder).st_mode
        if not stat.S_ISREG(kind):
            return b"\0" + os.urandom(8)
        file = os.open(name, FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(file, "rb") as opened:
        return opened.read()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
