"""What makes several files one write.

`<store>/records/` holds the lock of the repository, the highest UID it has given, digests of the last texts that
were written, and for each work tree at most one of these, the same content under three names:

    journal-…  the files are being written: whoever comes next writes the rest
    back-…     they are being taken back: whoever comes next takes back the rest
    applied-…  they are all there; whether the ledger knows is open, and the note says what it should know
               (with the digest of each file, because what was written may be taken away before anybody comes)

A rename moves from one to the next: it needs no space and is never half done.
"""

from __future__ import annotations

import hashlib
import os

from deedlog.core.records.digest import digest_of
from deedlog.core.records.foreign import normal
from deedlog.core.records.uid import is_uid
from deedlog.core.value import Value
from deedlog.folders import write_file
from deedlog.keeping import TreeLock
from deedlog.records.tree import failed, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.records.tree import Tree

SECONDS = 60.0
JOURNAL, BACK, APPLIED = "journal", "back", "applied"
HIGHEST, LOCK, WRITTEN = "uid", "lock", "written"
MOST_KEPT = 500
BUSY = "the repository's decision records are"
HALF = ""  # a new file on a file system without links, before it gets its text


class Entry(Value):
    """One file: the text it gets, and what was there before. One that is `gone` is removed."""

    path: str
    text: str
    new: bool
    old: str | None
    gone: bool = False


class Plan(Value):
    """All that a write does. `earlier` is the note that waited before it; `made` are folders that were missing."""

    note: dict[str, Any]
    earlier: dict[str, Any] | None
    entries: list[Entry]
    made: list[str]
    draft: str


class Journal:
    def __init__(self, store: str, tree: str) -> None:
        self.folder = os.path.join(store, "records")
        self._key = hashlib.blake2b(os.fsencode(os.path.realpath(tree)), digest_size=10).hexdigest()

    def lock(self, seconds: float = SECONDS) -> TreeLock:
        """The repository's records are written by one process at a time, whichever work tree it stands in."""
        try:
            for folder in (os.path.dirname(self.folder), self.folder):  # each its owner's alone, as the store is
                os.makedirs(folder, mode=0o700, exist_ok=True)
            return TreeLock(os.path.join(self.folder, LOCK), seconds, BUSY)
        except OSError as error:
            raise failed(error, self.folder) from error

    def interrupted(self) -> bool:
        return os.path.exists(self._path(JOURNAL)) or os.path.exists(self._path(BACK))

    def note(self) -> dict[str, Any] | None:
        """What the ledger should know of a write that is all there."""
        plan = self._read(APPLIED)
        return plan.note if plan else None

    def highest(self) -> str:
        try:
            with open(os.path.join(self.folder, HIGHEST), encoding="utf-8", errors="replace") as file:
                uid = file.read(64).strip()
        except OSError:
            return ""
        return uid if is_uid(uid) else ""

    def gave(self, uid: str) -> None:
        self._put(HIGHEST, uid.encode() + b"\n")

    def keep(self, texts: Iterable[str]) -> None:
        """Remember that these were written by us; the last of them are enough. Who finishes a journal need not."""
        kept = dict.fromkeys([*self._kept(), *map(_name, texts)])
        self._put(WRITTEN, "".join(f"{name}\n" for name in [*kept][-MOST_KEPT:]).encode())

    def has_kept(self, text: str) -> bool:
        return _name(text) in self._kept()

    def _kept(self) -> list[str]:
        try:
            with open(os.path.join(self.folder, WRITTEN), encoding="ascii", errors="replace") as file:
                return file.read().split()
        except OSError:
            return []

    def write(self, tree: Tree, plan: Plan) -> None:
        """Write all files, or take back what was written and raise what went wrong."""
        self.keep(entry.text for entry in plan.entries if not entry.gone)
        self._put(f"{JOURNAL}-{self._key}", _encoded(plan))
        try:
            _forward(tree, plan)
        except BaseException:
            self._move(JOURNAL, BACK)
            self._take_back(tree, plan)
            raise
        self._move(JOURNAL, APPLIED)

    def take_back(self, tree: Tree) -> None:
        """Undo a write that is all there and that the ledger refused."""
        plan = self._read(APPLIED)
        if plan:
            self._move(APPLIED, BACK)
            self._take_back(tree, plan)

    def recover(self, tree: Tree) -> None:
        """Finish what a dead writer began. Only the holder of the lock may."""
        self._sweep()
        if plan := self._read(BACK):
            self._take_back(tree, plan)
        if plan := self._read(JOURNAL):
            try:
                _forward(tree, plan)
            except OSError:
                self._move(JOURNAL, BACK)
                self._take_back(tree, plan)
                return
            self._move(JOURNAL, APPLIED)

    def done(self) -> None:
        self._drop(APPLIED)

    def _take_back(self, tree: Tree, plan: Plan) -> None:
        _back(tree, plan)
        if plan.earlier is not None:
            self._put(f"{APPLIED}-{self._key}", _encoded(Plan(note=plan.earlier, **NOTHING)))
        self._drop(BACK)

    def _path(self, phase: str) -> str:
        return os.path.join(self.folder, f"{phase}-{self._key}")

    def _read(self, phase: str) -> Plan | None:
        try:
            with open(self._path(phase), "rb") as file:
                return _decoded(file.read())
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):  # the disk lost it; kept for people to look at
            os.replace(self._path(phase), self._path("damaged"))
            return None

    def _move(self, one: str, other: str) -> None:
        os.replace(self._path(one), self._path(other))
        self._sync()

    def _drop(self, phase: str) -> None:
        try:
            os.unlink(self._path(phase))
        except FileNotFoundError:
            return
        self._sync()

    def _put(self, name: str, data: bytes) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        draft = f".draft-{os.urandom(6).hex()}"
        try:
            write_file(folder, draft, data, 0o600)
            os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        except OSError as error:
            raise failed(error, self.folder) from error
        finally:
            os.close(folder)

    def _sweep(self) -> None:
        """Remove drafts of dead writers; only the holder of the lock writes any."""
        for name in os.listdir(self.folder):
            if name.startswith(".draft-"):
                os.unlink(os.path.join(self.folder, name))

    def _sync(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


NOTHING: dict[str, Any] = {"earlier": None, "entries": [], "made": [], "draft": ""}


def _forward(tree: Tree, plan: Plan) -> None:
    for folder in plan.made:
        tree.make(folder)
    for entry in plan.entries:
        there = tree.read(entry.path)
        if entry.gone:
            if there is not None and there == entry.old:
                tree.remove(entry.path)
        elif there == entry.text:
            tree.remove(_beside(entry.path, plan.draft))
        elif there == entry.old or (there == HALF and entry.new):
            tree.write(entry.path, entry.text, plan.draft, new=entry.new and there != HALF)
        elif entry.new:
            raise FileExistsError(17, "another file is there already", entry.path)
        # somebody changed it after the writer died: that is kept


def _back(tree: Tree, plan: Plan) -> None:
    for entry in reversed(plan.entries):
        try:
            tree.remove(_beside(entry.path, plan.draft))
            there = tree.read(entry.path)
            if entry.gone:
                if there is None and entry.old is not None:
                    tree.write(entry.path, entry.old, plan.draft, new=False)
                continue
            if there != entry.text and not (there == HALF and entry.new):
                continue  # never written, or changed since
        except FileNotFoundError:
            continue
        if entry.old is None:
            tree.remove(entry.path)
        elif entry.old != entry.text:
            tree.write(entry.path, entry.old, plan.draft, new=False)
    for folder in reversed(plan.made):
        tree.unmake(folder)


def _name(text: str) -> str:
    return digest_of(normal(text))[:32]


def _beside(path: str, draft: str) -> str:
    return f"{parts(path)[0]}/{draft}"


def _encoded(plan: Plan) -> bytes:
    import json

    data = plan.fields() | {"entries": [entry.fields() for entry in plan.entries]}
    return json.dumps(data).encode()


def _decoded(data: bytes) -> Plan:
    import json

    said = json.loads(data)
    return Plan(**said | {"entries": [Entry(**entry) for entry in said["entries"]]})
