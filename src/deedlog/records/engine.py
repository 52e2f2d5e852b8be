"""The decision records of a work tree, as files: read whole, written all or nothing."""

from __future__ import annotations

import os
import time

from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid, NotFound, Unavailable
from deedlog.core.records.architecture import fold, in_order, is_ours, render_state
from deedlog.core.records.prompt import is_our_prompt
from deedlog.core.records.task import read_task
from deedlog.core.records.uid import is_uid, later_than
from deedlog.core.records.values import (
    ADR_FOLDER,
    ARCHIVE_FOLDER,
    PROMPT_FILE,
    STATE_FILE,
    TASK_FILE,
    Architecture,
    Book,
)
from deedlog.records.journal import Entry, Journal, Plan
from deedlog.records.shelf import Shelf
from deedlog.records.tree import Tree, checked, failed, not_ours, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.records.values import CurrentTask, RecordFile
    from deedlog.keeping import TreeLock

UID_LENGTH = 25
CERTAIN = (Conflict, Invalid, NotFound, Denied)  # after these the ledger has nothing of the write
OVERWRITING = {STATE_FILE: is_ours, PROMPT_FILE: is_our_prompt}
AT_ONCE = 0.0
DRAFT = "docs/.ARCHITECTURE_STATE.draft"  # of whoever writes that file alone; one who died leaves it


def _now() -> int:
    return time.time_ns() // 1000


def _chance() -> int:
    return int.from_bytes(os.urandom(2), "big")


class FileRecords:
    def __init__(self, tree: str, store: str, clock: Callable[[], int] = _now) -> None:
        self.tree = tree
        self._store = store
        self._clock = clock
        self._journal = Journal(store, tree)
        self._shelf = Shelf()

    def there(self) -> bool:
        return os.path.isdir(os.path.join(self.tree, ADR_FOLDER))

    def of(self, tree: str) -> FileRecords:
        return self if tree == self.tree else FileRecords(tree, self._store, self._clock)

    def text(self, path: str) -> str:
        checked(path)
        try:
            with Tree(self.tree) as tree:
                found = tree.read(path)
        except OSError as error:
            raise failed(error, path, "read") from error
        if found is None:
            raise NotFound(f"there is no {path!r} here", hint="`deedlog adr list` shows what there is")
        return found

    def look(self) -> Book:
        try:
            with Tree(self.tree) as tree:
                return self._read(tree)
        except OSError as error:
            raise failed(error, doing="read") from error

    def book(self) -> Book:
        if self._journal.interrupted():
            self._recover()
        try:
            with Tree(self.tree) as tree:
                book = self._read(tree)
                if self._is_stale(tree, book.architecture):
                    return self._renewed(tree, book)
                return book
        except OSError as error:
            raise failed(error, doing="read") from error

    def _recover(self) -> None:
        """Finish what a dead writer left. Where that cannot be done now, what is there can still be read."""
        try:
            with self._journal.lock(), Tree(self.tree) as tree:
                self._journal.recover(tree)
        except (OSError, Unavailable):
            pass

    def _renewed(self, tree: Tree, book: Book) -> Book:
        """Write the architecture's file anew, unless a writer is about to or it cannot be written."""
        try:
            with self._journal.lock(AT_ONCE):
                book = self._read(tree)
                if self._is_stale(tree, book.architecture):
                    put_state(tree, book.architecture)
        except (OSError, Unavailable):
            pass
        return book

    def _is_stale(self, tree: Tree, architecture: Architecture) -> bool:
        there = tree.read(STATE_FILE)
        if there is None:
            return bool(architecture.uid) and not _refuse_odd(tree, STATE_FILE)
        if not is_ours(there):
            raise _not_generated(STATE_FILE)
        return there != render_state(architecture)

    def _read(self, tree: Tree) -> Book:
        adrs = in_order(self._shelf.adrs(tree))
        task_text = tree.read(TASK_FILE)
        task = read_task(task_text) if task_text is not None else None
        return Book(adrs=adrs, architecture=fold(adrs), task=task, task_text=task_text or "")

    def writing(self) -> FileWriting:
        return FileWriting(self.tree, self._journal, self._read, self._clock)


def put_state(tree: Tree, architecture: Architecture) -> None:
    """Write the projection by itself: no journal is needed for a file that can always be made again."""
    tree.write(STATE_FILE, render_state(architecture), parts(DRAFT)[1], new=False)


class FileWriting:
    """Nobody else writes records of the repository while this lasts."""

    book: Book
    unfinished: dict[str, Any] | None

    def __init__(self, path: str, journal: Journal, read: Callable[[Tree], Book], clock: Callable[[], int]) -> None:
        self._tree = Tree(path)
        self._store = journal.folder
        self._journal = journal
        self._read = read
        self._clock = clock
        self._lock: TreeLock = journal.lock()
        self._put = False

    def __enter__(self) -> FileWriting:
        try:
            self._lock.__enter__()
        except OSError as error:
            raise failed(error, self._store) from error
        try:
            self._tree.__enter__()
            self._journal.recover(self._tree)
            self._tree.remove(DRAFT)
            self.unfinished = self._journal.note()
            book = self._read(self._tree)
            archive = self._tree.names(ARCHIVE_FOLDER)
            self.book = book.replace(archived=self._archived(book.task, archive))
            self._last = self._highest([*(adr.uid for adr in book.adrs), *(name[:UID_LENGTH] for name in archive)])
        except BaseException as error:
            self._close()
            if isinstance(error, OSError):
                raise failed(error) from error
            raise
        return self

    def _archived(self, task: CurrentTask | None, names: list[str]) -> str | None:
        if task is None or not task.uid:
            return None
        name = next((name for name in names if name.startswith(task.uid)), "")
        return self._tree.read(f"{ARCHIVE_FOLDER}/{name}") if name else None

    def _highest(self, uids: list[str]) -> str:
        task = self.book.task.uid if self.book.task else ""
        return max((uid for uid in [*uids, task, self._journal.highest()] if is_uid(uid)), default="")

    def uid(self) -> str:
        self._last = later_than(self._last, self._clock(), _chance())
        return self._last

    def put(self, files: Sequence[RecordFile], note: dict[str, Any]) -> None:
        assert not self._put, "one writing, one put"
        try:
            entries = [self._entry(file) for file in files]
            plan = Plan(
                note=note,
                earlier=self.unfinished,
                entries=entries,
                made=self._missing({parts(file.path)[0] for file in files}),
                draft=f".deedlog-{os.urandom(6).hex()}.draft",
            )
            if self._last:
                self._journal.gave(self._last)
            self._journal.write(self._tree, plan)
        except OSError as error:
            raise failed(error, str(error.filename or "docs")) from error
        self._put = True

    def _entry(self, file: RecordFile) -> Entry:
        path = checked(file.path)
        old = self._tree_read(path)
        if file.new and old is not None:
            raise _taken(path)
        if path in OVERWRITING and old is not None and not OVERWRITING[path](old):
            raise _not_generated(path)
        if path == TASK_FILE and (old or "") != self.book.task_text:
            raise Conflict(f"{path} was changed meanwhile", hint="repeat the call", data={"path": path})
        return Entry(path=path, text=file.text, new=file.new, old=old)

    def _tree_read(self, path: str) -> str | None:
        """What is there; nothing where its folder is missing too."""
        try:
            found = self._tree.read(path)
            if found is None:
                _refuse_odd(self._tree, path)
        except OSError as error:
            raise failed(error, path) from error
        return found

    def _missing(self, folders: set[str]) -> list[str]:
        wanted = {"/".join(folder.split("/")[: n + 1]) for folder in folders for n in range(folder.count("/") + 1)}
        return [folder for folder in sorted(wanted) if not self._tree.has(folder)]

    def done(self) -> None:
        try:
            self._journal.done()
        except OSError as error:
            raise failed(error) from error
        self.unfinished, self._put = None, False

    def __exit__(self, _kind: object, raised: object, _trace: object) -> None:
        try:
            if self._put and isinstance(raised, CERTAIN):
                self._journal.take_back(self._tree)
        except OSError:  # the next writer takes it back
            pass
        finally:
            self._close()

    def _close(self) -> None:
        self._tree.__exit__()
        self._lock.__exit__()


def _refuse_odd(tree: Tree, path: str) -> bool:
    """False where nothing is in the way; what is no file is never replaced."""
    if tree.has(path):
        raise Unavailable(
            f"{path} is no plain file",
            hint="links are not followed; move it away",
            data={"code": "FILESYSTEM_ERROR", "path": path},
        )
    return False


def _not_generated(path: str) -> DeedlogError:
    return not_ours(
        path,
        "was not generated by Deedlog: it has no UID comment",
        "move it away, or delete it: it is made again from the ADRs",
    )


def _taken(path: str) -> DeedlogError:
    return Conflict(
        f"{path} is there already", hint="repeat the call: it gets another UID", data={"code": "CONFLICT", "path": path}
    )
