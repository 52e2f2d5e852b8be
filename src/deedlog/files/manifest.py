"""What a snapshot of a folder without git consists of: an entry for each file, and the rules that chose them.

An entry is its key and what is known of its content. The key is what `lstat` says: size, times,
inode, mode. It changes with every change of the content, with one exception: a file written to
twice within one tick of the clock. A file that was changed just before it was looked at is hence
marked as RACY: whatever its key says later, its content decides.
"""

from __future__ import annotations

import marshal
import stat
from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import stat_result

    Files = dict[str, bytes]

FORMAT = b"checksum 1\n"
KEY = Struct("<qqqQI")
MARK = KEY.size
CONTENT = KEY.size + 1
READ, RACY, LINK = b"h", b"r", b"l"
pack_read = Struct(KEY.format + "c").pack  # a key and READ


def key(found: stat_result) -> bytes:
    return KEY.pack(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode)


def mark(entry: bytes) -> bytes:
    """READ or RACY before the hash of a file's content, LINK before a link's target, nothing where nothing was read."""
    return entry[MARK:CONTENT]


def content(entry: bytes) -> bytes:
    return entry[CONTENT:]


def same(one: bytes, other: bytes) -> bool | None:
    """Whether two entries of a path are of the same content and kind; None when nobody can tell."""
    size, _, _, _, mode = KEY.unpack_from(one)
    other_size, _, _, _, other_mode = KEY.unpack_from(other)
    if _shape(mode) != _shape(other_mode):
        return False
    if mark(one) and mark(other):
        return content(one) == content(other)
    if one[:MARK] == other[:MARK] and RACY not in (mark(one), mark(other)):
        return True
    return False if size != other_size else None


def _shape(mode: int) -> int:
    """What git records of a mode: file, executable file or link."""
    return mode & (stat.S_IFMT(mode) | stat.S_IXUSR) if stat.S_ISREG(mode) else stat.S_IFMT(mode)


class Manifest:
    """The entries by folder and name; `rules` has what the `.gitignore` of each folder says.

    `hidden` are paths that an earlier snapshot has and this one would not: they are gone, or there is
    an entry all the same, though newer rules leave them out. `closed` are the folders nobody could look into.

    The entries of a folder stay packed until somebody asks for them: of two manifests most are equal.
    """

    def __init__(
        self,
        at: int,
        packed: dict[str, bytes] | None = None,
        rules: dict[str, bytes] | None = None,
        hidden: set[str] | None = None,
        closed: list[str] | None = None,
    ) -> None:
        self.at = at
        self._packed = packed if packed is not None else {}
        self._open: dict[str, Files] = {}
        self.rules = rules if rules is not None else {}
        self.hidden = hidden if hidden is not None else set()
        self.closed = closed if closed is not None else []

    def folders(self) -> set[str]:
        return {*self._packed, *self._open}

    def files(self, folder: str) -> Files:
        """The entries of a folder by name. Whoever changes them changes the manifest."""
        found = self._open.get(folder)
        if found is None:
            packed = self._packed.get(folder)
            found = self._open[folder] = marshal.loads(packed) if packed else {}  # noqa: S302  # it is whole, see `decode`
        return found

    def entry(self, path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        return self.files(folder).get(name)

    def paths(self) -> Iterator[str]:
        for folder in self.folders():
            prefix = f"{folder}/" if folder else ""
            yield from (prefix + name for name in self.files(folder))

    def add(self, folder: str, files: Files, earlier: Manifest) -> None:
        """Add a folder's entries: packed already, if they are those of an earlier manifest."""
        if files == earlier.files(folder) and folder in earlier._packed:
            self._packed[folder] = earlier._packed[folder]
        else:
            self._open[folder] = files

    def put(self, path: str, entry: bytes | None) -> None:
        folder, _, name = path.rpartition("/")
        if entry:
            self.files(folder)[name] = entry
        else:
            self.files(folder).pop(name, None)

    def differs(self, other: Manifest, folder: str) -> bool:
        """Whether a folder's entries may differ, without opening equal ones."""
        mine, others = self._packed.get(folder), other._packed.get(folder)
        return not mine or mine != others

    def encode(self) -> bytes:
        """As bytes; folders without a file are left out."""
        opened = {folder: marshal.dumps(files, 4) for folder, files in self._open.items() if files}
        packed = {folder: files for folder, files in self._packed.items() if folder not in self._open}
        return FORMAT + marshal.dumps((self.at, packed | opened, self.rules, self.hidden, self.closed), 4)

    @classmethod
    def decode(cls, data: bytes) -> Manifest | None:
        """None if another engine wrote it. That it is whole has been checked by who read it."""
        return cls(*marshal.loads(memoryview(data)[len(FORMAT) :])) if data.startswith(FORMAT) else None  # noqa: S302
