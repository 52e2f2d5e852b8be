"""Files as git would store them: their mode, the id of their content and, for a later patch, the content."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from typing import NamedTuple

from deedlog.core.secret import may_be_secret
from deedlog.git.converting import FILTERS, Converter
from deedlog.git.pack import Pack
from deedlog.git.repository import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.git.command import Git
    from deedlog.git.converting import Converted
    from deedlog.git.repository import Repository
    from deedlog.git.status import State

    Key = tuple[int, int, int, int, int]
    Known = dict[str, tuple[Key, int, str, str]]  # path → stat key, when it was read, mode, id

LARGE = 16 * 1024 * 1024  # above this a content is compared, not kept
MOST_KEPT = 64 * 1024 * 1024  # bytes of contents that one snapshot adds; of more than that only ids are known
MOST_LOOSE = 500  # filtered contents that one snapshot adds, each a file of its own
CHUNK = 1024 * 1024
RACY = 20_000_000  # nanoseconds a file system's clock may lag behind
COARSE = 2_000_000_000  # where it counts whole seconds
TRIES = 3
UNREADABLE = "stat:"  # in the place of an id, where only the file's stat is known
LINK, PROGRAM, FILE = MODES = "120000", "100755", "100644"
CRLF = b"\r\n"


class OnDisk(NamedTuple):
    """A file that git may store differently: the id its bytes have, and the bytes where they may be kept."""

    path: str
    oid: str
    data: bytes | None
    size: int
    has_crlf: bool


class Contents:
    """Looks at files of one work tree. `known` is what earlier looks found, and is kept up to date."""

    def __init__(self, repository: Repository, git: Git, known: Known, pack: Pack, *, filtering: bool = True) -> None:
        self._repository = repository
        self._converter = Converter(repository, git, filtering=filtering)
        self._known = known
        self._pack = pack
        self._folders: dict[str, bool] = {"": True}
        self._rules: dict[str, bytes] = {}
        self._held = 0
        self._loose = 0
        self.seen: Known = {}
        self.out_of_reach: list[str] = []
        self.warnings: list[str] = []

    def look(self, wanted: Iterable[tuple[str, str]]) -> dict[str, State]:
        """The states of paths, each given with the mode git reports for it, if any."""
        root = self._repository.root
        found: dict[str, State] = {}
        unlike: list[OnDisk] = []
        for path, mode_said in wanted:
            full = f"{root}/{path}"  # what is in os.path would be half of the work, for a thousand files
            try:
                status = self._lstat(path, full)
            except OSError:  # a folder on the way is closed, or the path is too long for the system
                found[path] = self._out_of_reach(path, mode_said)
                continue
            if status is None:
                found[path] = None
                continue
            mode = self._mode(status, mode_said)
            if known := self._unchanged(path, status, mode):
                found[path] = (mode, known)
                continue
            now = time.time_ns()
            read = self._read(path, full, status, mode)
            if isinstance(read, OnDisk):
                unlike.append(read)
                read = read.oid
            found[path] = (mode, read)
            self.seen[path] = (_key(status), now, mode, read)
        if unlike:
            self._convert(unlike, found)
        return found

    def left_behind(self) -> dict[str, State]:
        """What earlier looks found and this one did not, where that is only because it is out of reach."""
        found: dict[str, State] = {}
        for path in self._known.keys() - self.seen.keys():
            try:
                self._lstat(path, f"{self._repository.root}/{path}")
            except OSError:
                found[path] = self._out_of_reach(path, "")
        return found

    def _out_of_reach(self, path: str, said: str) -> State:
        """As an earlier look found it, or unknown."""
        self.out_of_reach.append(path)
        if path in self._known:
            self.seen[path] = self._known[path]
            return self._known[path][2:]
        return (said if said in MODES else FILE), UNREADABLE

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

    def _read(self, path: str, full: str, status: os.stat_result, mode: str) -> str | OnDisk:
        """The id of a file's content, or what is on disk where git may store something else."""
        data: bytes | None = None
        try:
            if mode == LINK:
                return self._keep(path, os.fsencode(os.readlink(full)))
            for _ in range(TRIES):
                if status.st_size > LARGE:
                    data, (oid, has_crlf) = None, self._streamed(full, status.st_size)
                else:
                    data, oid, has_crlf = _bytes(full, status.st_size), "", False
                again = os.lstat(full)
                if _key(again) == _key(status):
                    break
                status = again
            else:
                self.warnings.append(f"{path} was being written while it was read")
        except OSError:  # nobody may read it, it went away or became something else
            return f"{UNREADABLE}{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"
        has_crlf = has_crlf or (data is not None and CRLF in data)
        if self._is_converted(path, has_crlf=has_crlf):
            return self._on_disk(path, oid, data, status.st_size, has_crlf=has_crlf)
        return oid if data is None else self._keep(path, data)

    def _streamed(self, full: str, size: int) -> tuple[str, bool]:
        """The id of a large file, and whether it has line ends that git may even out."""
        oid = hashlib.new(self._repository.hash_name, b"blob %d\0" % size, usedforsecurity=False)
        has_crlf, last = False, b""
        with open(full, "rb") as file:
            while chunk := file.read(CHUNK):
                oid.update(chunk)
                has_crlf = has_crlf or CRLF in chunk or last + chunk[:1] == CRLF
                last = chunk[-1:]
        return oid.hexdigest(), has_crlf

    def _on_disk(self, path: str, oid: str, data: bytes | None, size: int, *, has_crlf: bool) -> OnDisk:
        held = data
        if data is not None:
            oid = self._id(data)
            self._held += size
            if not self._may_keep(path, self._held):
                held = None
        return OnDisk(path, oid, held, size, has_crlf)

    def _keep(self, path: str, data: bytes) -> str:
        return self._pack.add(b"blob", data) if self._may_keep(path, len(data)) else self._id(data)

    def _may_keep(self, path: str, size: int) -> bool:
        return not may_be_secret(path) and self._pack.size + size <= MOST_KEPT

    def _id(self, data: bytes) -> str:
        header = b"blob %d\0" % len(data)
        return hashlib.new(self._repository.hash_name, header + data, usedforsecurity=False).hexdigest()

    def _is_converted(self, path: str, *, has_crlf: bool) -> bool:
        """Whether git may store something else than the bytes on disk."""
        if self._has_filters(path):
            return True
        if not has_crlf:
            return False
        rules = self._rules_for(path.rpartition("/")[0])
        return bool(rules) or self._repository.config.get("core.autocrlf", "false") != "false"

    def _has_filters(self, path: str) -> bool:
        rules = self._rules_for(path.rpartition("/")[0])
        return bool(rules) and any(word.encode() in rules for word in FILTERS)

    def _convert(self, files: list[OnDisk], found: dict[str, State]) -> None:
        """Put the ids git gives in the place of those of the bytes on disk."""
        asked = [file.path for file in files if self._has_filters(file.path)]
        filtered = self._converter.filtered(asked) if asked else set()
        plain = [file for file in files if file.path not in filtered]
        ends = [file.path for file in plain if file.has_crlf]
        untouched = self._converter.with_line_ends_kept(ends) if ends else set()
        changed = [path for path in ends if path not in untouched]
        evened = self._converter.with_line_ends(changed)
        self._put(changed, evened, found)
        for file in plain:
            self._keep_as(file, evened.oids.get(file.path, file.oid))
        self._held = 0
        self._filter([file for file in files if file.path in filtered], found)
        self.warnings += [text for text in self._converter.warnings if text not in self.warnings]

    def _keep_as(self, file: OnDisk, oid: str) -> None:
        """Keep what has that id: the bytes on disk, with the line ends they have or evened out."""
        for text in (file.data, file.data.replace(CRLF, b"\n")) if file.data is not None else ():
            if self._id(text) == oid:
                self._keep(file.path, text)
                return

    def _filter(self, files: list[OnDisk], found: dict[str, State]) -> None:
        """What filters make of a file is kept as a loose object, beside our packs: no more of these than a few."""
        kept, others = [], []
        for file in files:
            if file.size <= LARGE and self._loose < MOST_LOOSE and self._may_keep(file.path, file.size):
                self._loose += 1
                self._pack.size += file.size
                kept.append(file.path)
            else:
                others.append(file.path)
        for paths, keep in ((kept, True), (others, False)):
            if paths:
                self._put(paths, self._converter.with_filters(paths, keep=keep), found)

    def _put(self, paths: list[str], done: Converted, found: dict[str, State]) -> None:
        for path in paths:
            key, now, mode, on_disk = self.seen.pop(path)
            oid = done.oids.get(path, on_disk)
            found[path] = (mode, oid)
            if done.sure:  # otherwise the next look may find the filter working
                self.seen[path] = (key, now, mode, oid)

    def _rules_for(self, folder: str) -> bytes:
        """All that attribute files say for files in a folder."""
        if folder not in self._rules:
            own = text_at(f"{self._repository.root}/{folder}/.gitattributes")
            if folder:
                above = self._rules_for(folder.rpartition("/")[0])
            else:
                above = b"".join(text_at(path) for path in self._repository.attributes())
            self._rules[folder] = above + own
        return self._rules[folder]


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
