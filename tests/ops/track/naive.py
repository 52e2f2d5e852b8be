"""Snapshots by reading everything: slow, plainly right, and their time is the test's own clock."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deedlog.core.change import ADDED, DELETED, MODIFIED, Change, Comparison, Snapshot
from deedlog.core.errors import NotFound
from deedlog.testing import Clock

State = dict[str, bytes]


class NaiveSnapshots:
    def __init__(self, tree: Path, clock: Clock) -> None:
        self._tree = tree
        self._clock = clock
        self._last = 0
        self.kept: dict[str, State] = {}
        self.origins: dict[str, str] = {}
        self.patch = b""
        self.warnings: list[str] = []

    def take(self, snapshot_id: str, tree: str | None = None) -> Snapshot:
        folder = Path(tree) if tree else self._tree
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        self.kept[snapshot_id] = {str(path.relative_to(folder)): path.read_bytes() for path in files}
        self._last = max(self._clock(), self._last + 1)
        base = f"checksum-{self._last // 1000}"
        return Snapshot(id=snapshot_id, type="checksum", base=base, tree=str(folder), at=self._last)

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:  # noqa: ARG002
        for snapshot_id in snapshot_ids:
            if snapshot_id not in self.kept:
                message = f"the snapshot {snapshot_id} is not on this machine"
                raise NotFound(message, data={"snapshot_id": snapshot_id})
        states = [self.kept[snapshot_id] for snapshot_id in snapshot_ids]
        return Comparison(
            changes=[self._change(path, states[0], states[-1]) for path in different(states[0], states[-1])],
            touched=[different(one, other) for one, other in zip(states, states[1:], strict=False)],
            patch=self.patch,
            warnings=self.warnings,
        )

    def _change(self, path: str, start: State, end: State) -> Change:
        status = ADDED if path not in start else DELETED if path not in end else MODIFIED
        origin = self.origins.get(path, "task")
        return Change(path=path, status=status, origin=origin, added=end.get(path, b"").count(b"\n"))

    def forget(self, tree: str, keep: Sequence[str], done: Sequence[str] = ()) -> None:  # noqa: ARG002
        for snapshot_id in set(done).difference(keep):
            self.kept.pop(snapshot_id, None)


def different(one: State, other: State) -> list[str]:
    return sorted(path for path in {*one, *other} if one.get(path) != other.get(path))
