"""The one writer of a repository's records, while it lasts."""

from __future__ import annotations

import os

from deedlog.core.errors import Conflict, Denied, Invalid, NotFound, NotWritten
from deedlog.core.records.architecture import is_ours
from deedlog.core.records.digest import digest_of
from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import flat
from deedlog.core.records.prompt import is_our_prompt
from deedlog.core.records.uid import is_in_the_future, is_uid, later_than
from deedlog.core.records.values import ADR_FOLDER, ARCHIVE_FOLDER, PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.records.journal import Entry, Plan
from deedlog.records.tree import Tree, checked, failed, not_generated, parts, refuse_odd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.records.values import Adr, Book, CurrentTask, RecordFile
    from deedlog.keeping import TreeLock
    from deedlog.records.journal import Journal

UID_LENGTH = 25
CERTAIN = (Conflict, Invalid, NotFound, Denied, NotWritten)  # after these the ledger has nothing of the write
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
        self.unfinished = self._still_there(self._journal.note())
        book, now = self._read(self._tree), self._clock()
        refuse_later(book.adrs, now)
        archive = self._tree.names(ARCHIVE_FOLDER)
        prompt = self._tree.read(PROMPT_FILE) if self._tree.stat(PROMPT_FILE) else None
        self.book = book.replace(archived=self._archived(book.task, archive), prompt=prompt)
        uids = [adr.uid for adr in book.adrs] + [name[:UID_LENGTH] for name in archive]
        uids += [book.task.uid if book.task else "", self._journal.highest()]
        self._last = max((uid for uid in uids if is_uid(uid) and not is_in_the_future(uid, now)), default="")

    def _still_there(self, note: dict[str, Any] | None, kept: frozenset[str] = frozenset()) -> dict[str, Any] | None:
        """What is left of a note and of those it carries on: somebody may have taken away what was written.

        A write stands as long as its ADR does, or its task where it had none. It is `whole` where nothing was changed.
        The task of an earlier one is in the archive of a later one: `kept` has what those hold.
        """
        if note is None:
            return None
        said: dict[str, str] = note.get("files", {})
        same = {path: digest in kept or self._holds(path, digest) for path, digest in said.items()}
        earlier = self._still_there(note.get("earlier"), kept | {said[path] for path, held in same.items() if held})
        decided = [held for path, held in same.items() if parts(path)[0] == ADR_FOLDER] or list(same.values())
        if not all(decided):
            return earlier
        return {**note, "earlier": earlier, "whole": all(same.values())}

    def _holds(self, path: str, digest: str) -> bool:
        try:
            there = self._tree.read(path)
        except OSError:
            return False
        return there is not None and digest in {digest_of(there), digest_of(normal(there))}

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
                note=note | {"files": {file.path: digest_of(file.text) for file in files if _lasts(file)}},
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


def _lasts(file: RecordFile) -> bool:
    """Whether a file tells that its write is still there; what can be made again does not."""
    return not file.gone and file.path not in GENERATED


def refuse_later(adrs: Sequence[Adr], now: int) -> None:
    """An ADR of the future would win over every one that is written until then."""
    for adr in adrs:
        if is_uid(adr.uid) and is_in_the_future(adr.uid, now):
            raise Conflict(
                f"the UID of {flat(adr.path)} lies in the future: what is decided now would count as older",
                hint="set this machine's clock, or remove that ADR if its UID is a mistake",
                data={"code": "PARSE_ERROR", "path": flat(adr.path)},
            )
