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
    from os import stat_result

    Folders = dict[str, dict[str, bytes]]

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
    """`folders` has the entries by folder and name, `rules` what the `.gitignore` of each folder says.

    `ignored` are paths with an entry only because an earlier snapshot has one: rules that are newer
    than that leave them out. `closed` are the folders that could not be looked into.
    """

    def __init__(
        self,
        at: int,
        folders: Folders | None = None,
        rules: dict[str, bytes] | None = None,
        ignored: set[str] | None = None,
        closed: list[str] | None = None,
    ) -> None:
        self.at = at
        self.folders: Folders = folders if folders is not None else {}
        self.rules = rules if rules is not None else {}
        self.ignored = ignored if ignored is not None else set()
        self.closed = closed if closed is not None else []

    def entry(self, path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        return self.folders.get(folder, {}).get(name)

    def encode(self) -> bytes:
        return FORMAT + marshal.dumps((self.at, self.folders, self.rules, self.ignored, self.closed), 4)

    @classmethod
    def decode(cls, data: bytes) -> Manifest | None:
        """None if another engine wrote it. That it is whole has been checked."""
        return cls(*marshal.loads(memoryview(data)[len(FORMAT) :])) if data.startswith(FORMAT) else None  # noqa: S302
