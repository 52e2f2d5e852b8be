"""Files as git would store them: their mode, the id of their content and, for a later patch, the content."""

from __future__ import annotations

import hashlib
import os
import stat
import time

from deedlog.core.secret import may_be_secret
from deedlog.git.command import quoted
from deedlog.git.pack import Pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.git.command import Git
    from deedlog.git.repository import Repository
    from deedlog.git.status import State

    Key = tuple[int, int, int, int, int]
    Known = dict[str, tuple[Key, int, str, str]]  # path → stat key, when it was read, mode, id

LARGE = 16 * 1024 * 1024  # above this a content is compared, not kept
MOST_KEPT = 64 * 1024 * 1024  # of one snapshot
CHUNK = 1024 * 1024
RACY = 20_000_000  # nanoseconds a file system's clock may lag behind
COARSE = 2_000_000_000  # where it counts whole seconds
TRIES = 3
UNREADABLE = "stat:"  # in the place of an id, where only the file's stat is known
LINK, PROGRAM, FILE = "120000", "100755", "100644"


class Contents:
    """Looks at files of one work tree. `known` is what earlier looks found, and is kept up to date."""

    def __init__(self, repository: Repository, git: Git, known: Known, pack: Pack) -> None:
        self._repository = repository
        self._git = git
        self._known = known
        self._pack = pack
        self._folders: dict[str, bool] = {"": True}
        self._rules: dict[str, bytes] = {}
        self.seen: Known = {}
        self.warnings: list[str] = []

    def look(self, wanted: Iterable[tuple[str, str]]) -> dict[str, State]:
        """The states of paths, each given with the mode git reports for it, if any."""
        root = self._repository.root
        found: dict[str, State] = {}
        filtered: list[tuple[str, str, Key, int]] = []
        for path, mode_said in wanted:
            full = f"{root}/{path}"  # what is in os.path would be half of the work, for a thousand files
            status = self._lstat(path, full)
            if status is None:
                found[path] = None
                continue
            mode = self._mode(status, mode_said)
            if known := self._unchanged(path, status, mode):
                found[path] = (mode, known)
                continue
            now = time.time_ns()
            oid = self._read(path, full, status, mode)
            if oid is None:
                filtered.append((path, mode, _key(status), now))
                continue
            found[path] = (mode, oid)
            self.seen[path] = (_key(status), now, mode, oid)
        for (path, mode, key, now), oid in zip(filtered, self._through_filters(filtered), strict=True):
            found[path] = (mode, oid)
            self.seen[path] = (key, now, mode, oid)
        return found

    def _lstat(self, path: str, full: str) -> os.stat_result | None:
        try:
            status = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return None
        kind = stat.S_IFMT(status.st_mode)
        if kind not in (stat.S_IFREG, stat.S_IFLNK) or not self._is_real(path.rpartition("/")[0]):
            return None  # a directory, a pipe or something behind a symbolic link is no file of git's
        return status

    def _is_real(self, folder: str) -> bool:
        if folder not in self._folders:
            try:
                mode = os.lstat(f"{self._repository.root}/{folder}").st_mode
            except OSError:
                mode = 0
            self._folders[folder] = stat.S_ISDIR(mode) and self._is_real(folder.rpartition("/")[0])
        return self._folders[folder]

    def _mode(self, status: os.stat_result, said: str) -> str:
        if stat.S_ISLNK(status.st_mode):
            return LINK
        if not self._repository.modes_count:
            return said if said in (PROGRAM, FILE) else FILE
        return PROGRAM if status.st_mode & stat.S_IXUSR else FILE

    def _unchanged(self, path: str, status: os.stat_result, mode: str) -> str:
        """The id an earlier look found, where the file cannot have changed since."""
        key, then, _, oid = self._known.get(path, (None, 0, "", ""))
        latest = max(status.st_mtime_ns, status.st_ctime_ns)
        lag = COARSE if status.st_mtime_ns % 1_000_000_000 == 0 else RACY
        if key != _key(status) or latest + lag >= then:
            return ""
        self.seen[path] = (_key(status), then, mode, oid)
        return oid

    def _read(self, path: str, full: str, status: os.stat_result, mode: str) -> str | None:
        """The id of a file's content; None where a filter of the user's has to be asked."""
        if mode == LINK:
            return self._keep(path, os.fsencode(os.readlink(full)))
        try:
            for _ in range(TRIES):
                if status.st_size > LARGE:
                    oid, data = self._streamed(full, status.st_size), None
                else:
                    oid, data = "", _bytes(full, status.st_size)
                again = os.lstat(full)
                if _key(again) == _key(status):
                    break
                status = again
            else:
                self.warnings.append(f"{path} was being written while it was read")
        except PermissionError:
            return f"{UNREADABLE}{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
        except OSError:  # it went away or became something else
            return f"{UNREADABLE}{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
        if self._is_converted(path, data):
            return None
        return oid if data is None else self._keep(path, data)

    def _streamed(self, full: str, size: int) -> str:
        oid = hashlib.new(self._repository.hash_name, b"blob %d\0" % size, usedforsecurity=False)
        with open(full, "rb") as file:
            while chunk := file.read(CHUNK):
                oid.update(chunk)
        return oid.hexdigest()

    def _keep(self, path: str, data: bytes) -> str:
        if not may_be_secret(path) and self._pack.size + len(data) <= MOST_KEPT:
            return self._pack.add(b"blob", data)
        header = b"blob %d\0" % len(data)
        return hashlib.new(self._repository.hash_name, header + data, usedforsecurity=False).hexdigest()

    def _is_converted(self, path: str, data: bytes | None) -> bool:
        """Whether git may store something else than the bytes on disk."""
        rules = self._rules_for(path.rpartition("/")[0])
        if rules and any(word in rules for word in (b"filter", b"ident", b"working-tree-encoding")):
            return True
        ends = rules or self._repository.config.get("core.autocrlf", "false") != "false"
        return bool(ends) and (data is None or b"\r\n" in data)

    def _rules_for(self, folder: str) -> bytes:
        """All that attribute files say for files in a folder."""
        if folder not in self._rules:
            own = _text(f"{self._repository.root}/{folder}/.gitattributes")
            if folder:
                above = self._rules_for(folder.rpartition("/")[0])
            else:
                above = b"".join(_text(path) for path in self._repository.attributes())
            self._rules[folder] = above + own
        return self._rules[folder]

    def _through_filters(self, wanted: list[tuple[str, str, Key, int]]) -> list[str]:
        """The ids git itself gives; contents that may be kept are written beside our packs."""
        oids: dict[str, str] = {}
        for keep in (True, False):
            paths = [path for path, *_ in wanted if may_be_secret(path) is not keep]
            if paths:
                names = b"".join(quoted(os.fsencode(path)) + b"\n" for path in paths)
                words = ("hash-object", *(("-w",) if keep else ()), "--stdin-paths")
                # without the user's objects: git would mark those it meets as being in use
                alone = self._git.replace(others=())
                oids |= zip(paths, alone.run(*words, stdin=names).decode().split(), strict=True)
        return [oids[path] for path, *_ in wanted]


def _key(status: os.stat_result) -> Key:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode


def _bytes(full: str, size: int) -> bytes:
    # without waiting for a writer, should it have become a pipe meanwhile
    file = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        data = os.read(file, size + 1)
        while len(data) != size and (more := os.read(file, CHUNK)):  # a long read may come in parts
            data += more
        return data
    finally:
        os.close(file)


def _text(path: str) -> bytes:
    if not os.path.lexists(path):  # as mostly; cheaper than failing to open it
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
