"""Snapshots of folders without git."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.change import Comparison, Snapshot


class ChecksumSnapshots:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def take(self, snapshot_id: str, tree: str) -> Snapshot:
        raise NotImplementedError

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        raise NotImplementedError

    def forget(self, tree: str, keep: Sequence[str]) -> None:
        raise NotImplementedError
