"""The ADRs of a work tree, each read once while this process lives and the file stays as it is."""

from __future__ import annotations

import re

from deedlog.core.records.adr import read_adr
from deedlog.core.records.values import ADR_FOLDER
from deedlog.records.tree import failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.records.values import Adr, Held
    from deedlog.records.tree import Tree

    Mark = tuple[int, int, int, int]

NO_ADR = re.compile(r"(?:readme|index|template|adr-template|.*[-_]template)\.md", re.IGNORECASE)


def is_adr(name: str) -> bool:
    """Names that are no text cannot be told to anybody; drafts, indexes and templates are no decisions."""
    return name.isprintable() and not name.startswith(".") and NO_ADR.fullmatch(name) is None


class Shelf:
    def __init__(self) -> None:
        self._read: dict[str, tuple[Mark, Adr]] = {}
        self._known: dict[tuple[str, str], Held] = {}

    def adrs(self, tree: Tree) -> list[Adr]:
        found = {name: self._one(tree, name) for name in tree.names(ADR_FOLDER) if is_adr(name)}
        self._read = {name: kept for name, kept in found.items() if kept is not None}
        return [adr for _, adr in self._read.values()]

    def _one(self, tree: Tree, name: str) -> tuple[Mark, Adr] | None:
        """An ADR, unless it is a link, a folder or far too large."""
        path = f"{ADR_FOLDER}/{name}"
        try:
            seen = tree.stat(path)
            if seen is None:
                return None
            mark = (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
            if (kept := self._read.get(name)) and kept[0] == mark:
                return kept
            text = tree.read(path)
        except OSError as error:
            raise failed(error, path, "read") from error
        return None if text is None else (mark, read_adr(path, text, self._known))
