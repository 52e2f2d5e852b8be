"""Snapshots of git work trees."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.change import Comparison, Snapshot


class GitSnapshots:
    def __init__(self, folder: str, *, watch_ignored: Sequence[str] = ()) -> None:
        self._folder = folder
        self._watch_ignored = watch_ignored

    def serves(self, tree: str) -> bool:
        return False

    def take(self, snapshot_id: str, tree: str) -> Snapshot:
        raise NotImplementedError

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        raise NotImplementedError

    def forget(self, tree: str, keep: Sequence[str]) -> None:
        raise NotImplementedError
