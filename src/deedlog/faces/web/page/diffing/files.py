"""The files a task changed, as a list and as a tree of folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from markupsafe import Markup

from deedlog.core.account import MINE
from deedlog.core.change import NOT_SHOWN
from deedlog.faces.web.page.diffing.visible import visible

Json = dict[str, Any]
MARKS = {"added": "A", "modified": "M", "deleted": "D", "renamed": "R"}
SQUARES = 5


@dataclass(slots=True, eq=False)
class File:
    """One changed file; `shown` and `name` are its path as HTML, `key` is what its place on the page is called."""

    path: str
    key: str
    mark: str
    word: str
    shown: Markup
    name: Markup
    by: str
    row: Json
    renamed_from: Markup | None = None
    left_out: str = ""

    @property
    def squares(self) -> str:
        """How much of it was added and deleted, in five steps."""
        added, deleted = int(self.row.get("added", 0)), int(self.row.get("deleted", 0))
        total = added + deleted
        if not total:
            return ""
        green = min(SQUARES, max(round(SQUARES * added / total), 1 if added else 0))
        green = min(green, SQUARES - 1) if deleted else green
        return "a" * green + "d" * (SQUARES - green)


@dataclass(slots=True, eq=False)
class Folder:
    name: Markup
    folders: dict[str, Folder] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.files) + sum(folder.count for folder in self.folders.values())


def files_of(rows: Iterable[Json]) -> list[File]:
    """A file for each change; of a rename the new name stands for both."""
    return [_file(row) for row in rows if "renamed_to" not in row]


def key_of(path: str) -> str:
    return "f" + blake2b(path.encode("utf-8", "surrogatepass"), digest_size=7).hexdigest()


def _file(row: Json) -> File:
    path = row["path"]
    word = "renamed" if "renamed_from" in row else row["status"]
    note = row.get("note", "")
    return File(
        path=path,
        key=key_of(path),
        mark=MARKS.get(word, "M"),
        word=word,
        shown=visible(path),
        name=visible(path.rpartition("/")[2]),
        by=row["by"],
        row=row,
        renamed_from=visible(row["renamed_from"]) if "renamed_from" in row else None,
        left_out=note if row["by"] in MINE and note.startswith(NOT_SHOWN) else "",
    )


def tree_of(files: Iterable[File]) -> Folder:
    """Files by their folders; a folder that has nothing but another one stands in one row with it."""
    top = Folder(Markup())
    for file in files:
        at = top
        for name in file.path.split("/")[:-1]:
            at = at.folders.setdefault(name, Folder(visible(name)))
        at.files.append(file)
    return _together(top)


def _together(folder: Folder) -> Folder:
    joined: dict[str, Folder] = {}
    for name, below in folder.folders.items():
        inner, path = below, name
        while not inner.files and len(inner.folders) == 1:
            ((next_name, inner),) = inner.folders.items()
            path = f"{path}/{next_name}"
        joined[path] = Folder(visible(path), _together(inner).folders, inner.files)
    return Folder(folder.name, joined, folder.files)
