"""A folder without git, and the engine that takes snapshots of it."""

from __future__ import annotations

import os
from pathlib import Path

from deedlog.core.change import Comparison, Snapshot
from deedlog.files.checksum import ChecksumSnapshots


class Folder:
    """`known`: the engine has seen the folder before, as it is when the first snapshot counts."""

    def __init__(self, place: Path, *, known: bool = False) -> None:
        self.path = place / "tree"
        self.path.mkdir()
        self.trees = place / "store" / "trees"
        self.engine = ChecksumSnapshots(str(self.trees))
        self.ids: list[str] = []
        self._known = known

    def at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def write(self, name: str, content: str | bytes = "content\n") -> None:
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def remove(self, name: str) -> None:
        os.unlink(self.at(name))

    def move(self, old: str, new: str) -> None:
        os.makedirs(os.path.dirname(self.at(new)), exist_ok=True)
        os.rename(self.at(old), self.at(new))

    def touch(self, name: str) -> None:
        """As if written to just now."""
        facts = os.lstat(self.at(name))
        os.utime(self.at(name), ns=(facts.st_atime_ns, facts.st_mtime_ns + 1))

    def take(self) -> Snapshot:
        if self._known and not self.ids:
            self.engine.take("s-earlier", str(self.path))
            self.engine.forget(str(self.path), [], ["s-earlier"])
        self.ids.append(f"s-{len(self.ids)}")
        return self.engine.take(self.ids[-1], str(self.path))

    def compare(self) -> Comparison:
        """All snapshots so far; the first and the last count."""
        return self.engine.compare(str(self.path), self.ids)

    def end(self) -> Comparison:
        self.take()
        return self.compare()

    def changed(self) -> dict[str, str]:
        return statuses(self.end())


def statuses(found: Comparison) -> dict[str, str]:
    assert [change.path for change in found.changes] == sorted(change.path for change in found.changes)
    return {change.path: change.status for change in found.changes}
