"""The one writer of a repository's records, while it lasts."""

from __future__ import annotations

import os

from deedlog.core.errors import Conflict, Denied, Invalid, NotFound
from deedlog.core.records.architecture import is_ours
from deedlog.core.records.prompt import is_our_prompt
from deedlog.core.records.uid import is_uid, later_than
from deedlog.core.records.values import ARCHIVE_FOLDER, PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.records.journal import Entry, Plan
from deedlog.records.tree import Tree, checked, failed, not_generated, parts, refuse_odd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.records.values import Book, CurrentTask, RecordFile
    from deedlog.keeping import TreeLock
    from deedlog.records.journal import Journal

UID_LENGTH = 25
CERTAIN = (Conflict, Invalid, NotFound, Denied)  # after these the ledger has nothing of the write
GENERATED = {STATE_FILE: is_ours, PROMPT_FILE: is_our_prompt}
DRAFT = "docs/.ARCHITECTURE_STATE.draft"  # of whoever writes that file alone; one who died leaves it


class FileWriting:
    book: Book
    unfinished: dict[str, Any] | None

    def __init__(self, path: str, journal: Journal, read: Callable[[Tree], Book], clock: Callable[[], int]) -> None:
        self._tree = Tree(path)
        self._journal = journal
        self._read = read
        self._clock = clock
        self._lock: TreeLock = journal.lock()
        self._put = False

    def __enter__(self) -> FileWriting:
        try:
            self._lock.__enter__()
        except OSError as error:
            raise failed(error, self._journal.folder) from error
        try:
            self._tree.__enter__()
            self._begin()
        except BaseException as error:
            self._close()
            if isinstance(error, OSError):
                raise failed(error) from error
            raise
        return self

    def _begin(self) -> None:
        self._journal.recover(self._tree)
        self._tree.remove(DRAFT)
        self.unfinished = self._journal.note()
        book = self._read(self._tree)
        archive = self._tree.names(ARCHIVE_FOLDER)
        prompt = self._tree.read(PROMPT_FILE) if self._tree.stat(PROMPT_FILE) else None
        self.book = book.replace(archived=self._archived(book.task, archive), prompt=prompt)
        uids = [adr.uid for adr in book.adrs] + [name[:UID_LENGTH] for name in archive]
        uids += [book.task.uid if book.task else "", self._journal.highest()]
        self._last = max(filter(is_uid, uids), default="")

    def _archived(self, task: CurrentTask | None, names: list[str]) -> str | None:
        if task is None or not task.uid:
            return None
        name = next((name for name in names if name.startswith(task.uid)), "")
        return self._tree.read(f"{ARCHIVE_FOLDER}/{name}") if name else None

    def uid(self) -> str:
        self._last = later_than(self._last, self._clock(), int.from_bytes(os.urandom(2), "big"))
        return self._last

    def put(self, files: Sequence[RecordFile], note: dict[str, Any]) -> None:
        assert not self._put, "one writing, one put"
        try:
            plan = Plan(
                note=note,
                earlier=self.unfinished,
                entries=[self._entry(file) for file in files],
                made=self._missing({parts(file.path)[0] for file in files}),
                draft=f".deedlog-{os.urandom(6).hex()}.draft",
            )
            if self._last:
                self._journal.gave(self._last)
            self._journal.write(self._tree, plan)
        except OSError as error:
            raise failed(error) from error
        self._put = True

    def _entry(self, file: RecordFile) -> Entry:
        path = checked(file.path)
        try:
            old = self._tree.read(path)
            if old is None:
                refuse_odd(self._tree, path)
        except OSError as error:
            raise failed(error, path) from error
        if file.new and old is not None:
            hint = "repeat the call: it gets another UID"
            raise Conflict(f"{path} is there already", hint=hint, data={"path": path})
        if path in GENERATED and old is not None and not GENERATED[path](old):
            raise not_generated(path)
        if path == TASK_FILE and (old or "") != self.book.task_text:
            raise Conflict(f"{path} was changed meanwhile", hint="repeat the call", data={"path": path})
        return Entry(path=path, text=file.text, new=file.new, old=old, gone=file.gone)

    def _missing(self, folders: set[str]) -> list[str]:
        wanted = {"/".join(folder.split("/")[: n + 1]) for folder in folders for n in range(folder.count("/") + 1)}
        return [folder for folder in sorted(wanted) if not self._tree.has(folder)]

    def done(self) -> None:
        try:
            self._journal.done()
        except OSError as error:
            raise failed(error, self._journal.folder) from error
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
