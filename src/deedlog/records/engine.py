"""The decision records of a work tree, as files. Most calls only ask whether there are any: that costs nothing."""

from __future__ import annotations

import os

from deedlog.core.errors import NotFound
from deedlog.core.records.values import ADR_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.records.values import Book
    from deedlog.records.filing import Filing
    from deedlog.records.writing import FileWriting

    Committed = Callable[[str], dict[str, str]]
    LeftOut = Callable[[str, bool], list[str]]


def _nothing(_folder: str) -> dict[str, str]:
    return {}


def _none(_folder: str, _surely: bool) -> list[str]:  # noqa: FBT001  # as the port of git has it
    return []


class FileRecords:
    """`committed` tells for a folder of the tree which blob git has committed under each path.

    `left_out` tells which of its files git keeps out of the tree; surely, or only where that costs nothing.
    """

    def __init__(
        self,
        tree: str,
        store: str,
        committed: Committed = _nothing,
        clock: Callable[[], int] | None = None,
        left_out: LeftOut = _none,
    ) -> None:
        self.tree = tree
        self._store = store
        self._committed = committed
        self._clock = clock
        self._left_out = left_out
        self._filing: Filing | None = None

    def there(self) -> bool:
        return os.path.isdir(os.path.join(self.tree, ADR_FOLDER))

    def of(self, tree: str) -> FileRecords:
        return self if tree == self.tree else FileRecords(tree, self._store, clock=self._clock)

    def text(self, path: str) -> str:
        if not os.path.lexists(os.path.join(self.tree, path)):
            raise NotFound("there is no such record here", hint="adr_list shows what there is")
        return self._files().text(path)

    def wrote(self, path: str, text: bytes | None = None) -> bool:
        return self._files().wrote(path, text)

    def look(self, *, task: bool = True) -> Book:
        return self._files().look(task=task)

    def book(self) -> Book:
        return self._files().book()

    def rebuild(self) -> bool:
        return self._files().rebuild()

    def sources(self) -> dict[str, str | None]:
        return self._files().sources()

    def committed(self) -> dict[str, str]:
        return self._committed(ADR_FOLDER)

    def absent(self) -> list[str]:
        return self._left_out(ADR_FOLDER, False)

    def writing(self) -> FileWriting:
        return self._files().writing()

    def _files(self) -> Filing:
        if self._filing is None:
            from deedlog.records.filing import Filing, now  # see above

            self._filing = Filing(self.tree, self._store, self._clock or now, lambda: self._left_out(ADR_FOLDER, True))
        return self._filing
