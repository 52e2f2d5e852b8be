"""The decision records of a work tree, as files."""

from __future__ import annotations

import os

from deedlog.core.errors import NotFound
from deedlog.core.records.values import ADR_FOLDER

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

    def there(self) -> bool:
        return os.path.isdir(os.path.join(self.tree, ADR_FOLDER))

    def look(self) -> Book:
        return self.book()

    def of(self, tree: str) -> FileRecords:
        return self if tree == self.tree else FileRecords(tree, self._store)

    def text(self, path: str) -> str:
        try:
            with open(os.path.join(self.tree, path), encoding="utf-8") as file:
                return file.read()
        except OSError:
            raise NotFound(f"there is no {path}") from None

    def writing(self) -> AbstractContextManager[Writing]:
        raise NotImplementedError
