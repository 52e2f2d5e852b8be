"""Reading the records of a work tree, and keeping the file up to date that shows what they add up to."""

from __future__ import annotations

import time

from deedlog.core.errors import DeedlogError, NotFound, Unavailable
from deedlog.core.records.architecture import fold, in_order, is_ours, render_state
from deedlog.core.records.foreign import normal
from deedlog.core.records.task import read_task
from deedlog.core.records.values import ADR_FOLDER, PROMPT_FILE, STATE_FILE, TASK_FILE, Architecture, Book
from deedlog.records.journal import Journal
from deedlog.records.shelf import Shelf, is_adr
from deedlog.records.tree import Tree, checked, failed, not_generated, parts, refuse_absent, refuse_odd
from deedlog.records.writing import DRAFT, FileWriting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE = 0.0
SOON = 2.0  # a living writer is done by then; behind a stopped one, what is there is read as it is


def now() -> int:
    return time.time_ns() // 1000


class Filing:
    def __init__(self, tree: str, store: str, clock: Callable[[], int], absent: Callable[[], list[str]]) -> None:
        self.tree = tree
        self._clock = clock
        self._absent = absent
        self._journal = Journal(store, tree)
        self._shelf = Shelf()

    def text(self, path: str) -> str:
        checked(path)
        try:
            with Tree(self.tree) as tree:
                found = tree.read(path)
        except OSError as error:
            raise failed(error, path, "read") from error
        if found is None:
            raise NotFound("there is no such record here", hint="adr_list shows what there is")
        return found

    def wrote(self, path: str, text: bytes | None = None) -> bool:
        if text is not None:
            return self._journal.has_kept(text.decode("utf-8", "replace"))
        try:
            with Tree(self.tree) as tree:
                there = tree.read(checked(path))
                if there is None:
                    return path == PROMPT_FILE and not tree.has(path)
                return self._journal.has_kept(there) or (path == STATE_FILE and self._is_current(tree, there))
        except (OSError, DeedlogError):
            return False

    def _is_current(self, tree: Tree, there: str) -> bool:
        return normal(there) == render_state(self._read(tree, task=False).architecture)

    def sources(self) -> dict[str, str | None]:
        """Every file below docs/adr with its text; what is no plain file has none."""
        found: dict[str, str | None] = {}
        try:
            with Tree(self.tree) as tree:
                for name in filter(is_adr, tree.names(ADR_FOLDER)):
                    path = f"{ADR_FOLDER}/{name}"
                    found[path] = tree.read(path) if tree.stat(path) else None
        except OSError as error:
            raise failed(error, doing="read") from error
        return found

    def look(self, *, task: bool) -> Book:
        try:
            with Tree(self.tree) as tree:
                return self._read(tree, task=task)
        except OSError as error:
            raise failed(error, doing="read") from error

    def book(self) -> Book:
        if self._journal.interrupted():
            self._recover()
        try:
            with Tree(self.tree) as tree:
                book = self._read(tree)
                if self._is_stale(tree, book.architecture) and not self._absent():
                    return self._renewed(tree, book)
                return book
        except OSError as error:
            raise failed(error, doing="read") from error

    def rebuild(self) -> bool:
        """Write the architecture's file anew; returns whether it was missing or stale."""
        refuse_absent(self._absent())
        if self._journal.interrupted():
            self._recover()
        try:
            with self._journal.lock(), Tree(self.tree) as tree:
                book = self._read(tree)
                stale = self._is_stale(tree, book.architecture)
                if stale:
                    self._put_state(tree, book.architecture)
        except OSError as error:
            raise failed(error, STATE_FILE) from error
        return stale

    def writing(self) -> FileWriting:
        refuse_absent(self._absent())
        return FileWriting(self.tree, self._journal, self._read, self._clock)

    def _recover(self) -> None:
        """Finish what a dead writer left. Where that cannot be done now, what is there can still be read."""
        try:
            with self._journal.lock(SOON), Tree(self.tree) as tree:
                self._journal.recover(tree)
        except (OSError, Unavailable):
            pass

    def _renewed(self, tree: Tree, book: Book) -> Book:
        """Write the architecture's file anew, unless a writer is about to or it cannot be written."""
        try:
            with self._journal.lock(AT_ONCE):
                book = self._read(tree)
                if self._is_stale(tree, book.architecture):
                    self._put_state(tree, book.architecture)
        except (OSError, Unavailable):
            pass
        return book

    def _put_state(self, tree: Tree, architecture: Architecture) -> None:
        """No journal is needed for a file that can always be made again."""
        text = render_state(architecture)
        self._journal.keep([text])
        tree.write(STATE_FILE, text, parts(DRAFT)[1], new=False)

    def _is_stale(self, tree: Tree, architecture: Architecture) -> bool:
        there = tree.read(STATE_FILE)
        if there is None:
            return bool(architecture.uid) and not refuse_odd(tree, STATE_FILE)
        if not is_ours(there):
            raise not_generated(STATE_FILE)
        return normal(there) != render_state(architecture)

    def _read(self, tree: Tree, *, task: bool = True) -> Book:
        adrs = in_order(self._shelf.adrs(tree))
        text = tree.read(TASK_FILE) if task else None
        current = read_task(text) if text is not None else None
        return Book(adrs=adrs, architecture=fold(adrs), task=current, task_text=text or "")
