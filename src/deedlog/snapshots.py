"""The states of work trees: with git where there is a repository, by checksums where there is none."""

from __future__ import annotations

import os

from deedlog.files.checksum import ChecksumSnapshots
from deedlog.git.snapshots import GitSnapshots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.change import Comparison, Snapshot


class TreeSnapshots:
    """Asks the engine a tree's snapshots were taken with; that of its start decides for its end."""

    def __init__(self, tree: str, store: str, *, watch_ignored: Sequence[str] = ()) -> None:
        self._tree = tree
        folder = os.path.join(store, "trees")
        self._git = GitSnapshots(folder, watch_ignored=watch_ignored)
        self._checksum = ChecksumSnapshots(folder)

    def take(self, snapshot_id: str, tree: str | None = None) -> Snapshot:
        tree = tree or self._tree
        return self._engine(tree).take(snapshot_id, tree)

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        return self._engine(tree).compare(tree, snapshot_ids)

    def forget(self, tree: str, keep: Sequence[str], done: Sequence[str] = ()) -> None:
        self._engine(tree).forget(tree, keep, done)

    def _engine(self, tree: str) -> GitSnapshots | ChecksumSnapshots:
        return self._git if self._git.serves(tree) else self._checksum
