"""The decision records of a work tree, as files."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from deedlog.core.records.values import Book
    from deedlog.ports import Writing


class FileRecords:
    def __init__(self, tree: str, store: str) -> None:
        self.tree = tree
        self._store = store

    def book(self) -> Book:
        raise NotImplementedError

    def text(self, path: str) -> str:
        raise NotImplementedError

    def writing(self) -> AbstractContextManager[Writing]:
        raise NotImplementedError
