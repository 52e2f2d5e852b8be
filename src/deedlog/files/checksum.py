"""Snapshots of folders without git: what `lstat` says of each file, and the hash of what was read."""

from __future__ import annotations

import os
import time

from deedlog import project
from deedlog.core.change import Comparison, Snapshot, shown
from deedlog.core.errors import NotFound, Part
from deedlog.files.difference import UNVERIFIED, differences, learn, with_renames
from deedlog.files.manifest import Manifest
from deedlog.files.reading import Window
from deedlog.files.walker import Walk
from deedlog.keeping import TreeFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deedlog.core.change import Change

NEWEST = "newest"
MOST_NAMED = 3


class ChecksumSnapshots:
    """`folder` lies in the store's own, which is left out where that lies in a tree."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._store = os.path.realpath(os.path.dirname(folder))

    def take(self, snapshot_id: str, tree: str) -> Snapshot:
        place = os.path.realpath(tree)
        kept = TreeFolder(self._folder, place)
        earlier = Manifest.decode(kept.shared(NEWEST) or b"") or Manifest(0)
        window = Window(time.time_ns(), network=project.is_network(place))
        walk = Walk(place, window, earlier, own=_inside(self._store, place))
        found = walk.run(watch_hidden=bool(kept.ids()))
        kept.write(snapshot_id, found.encode())
        kept.share(snapshot_id, NEWEST)
        at = found.at // 1000
        return Snapshot(
            id=snapshot_id,
            type="checksum",
            base=f"checksum-{at // 1000}",
            tree=tree,
            at=at,
            warnings=_unseen(found.closed),
        )

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        kept = TreeFolder(self._folder, tree)
        first = before = after = _read(kept, snapshot_ids[0])
        touched = []
        found: dict[str, Change] = {}
        for snapshot_id in snapshot_ids[1:]:
            before, after = after, _read(kept, snapshot_id)
            found = differences(before, after)
            touched.append(sorted(found))
        if between := snapshot_ids[1:-1]:
            found = _across(kept, first, after, between)
        changes = with_renames(found, first, after)
        return Comparison(
            changes=changes,
            touched=touched,
            warnings=[*_unseen(first.closed + after.closed), *_unverified(changes)],
        )

    def forget(self, tree: str, keep: Sequence[str], done: Sequence[str] = ()) -> None:
        TreeFolder(self._folder, tree).forget(keep, done)

    def paths(self, tree: str, snapshot_id: str) -> Iterator[str]:
        return _read(TreeFolder(self._folder, tree), snapshot_id).paths()


def _inside(path: str, folder: str) -> str:
    """The path from a folder, if it leads into it."""
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else ""


def _read(kept: TreeFolder, snapshot_id: str) -> Manifest:
    found = Manifest.decode(kept.read(snapshot_id))
    if not found:
        raise NotFound(
            f"the snapshot {snapshot_id} was taken with git, and git cannot tell about the folder any more",
            part=Part.GIT,
            data={"snapshot_id": snapshot_id},
        )
    return found


def _across(kept: TreeFolder, first: Manifest, last: Manifest, between: Sequence[str]) -> dict[str, Change]:
    """What differs between the ends, where the snapshots between may know a content that the first does not."""
    found = differences(first, last)
    unverified = [path for path, change in found.items() if change.note == UNVERIFIED]
    if not unverified:
        return found
    for snapshot_id in between:
        learn(first, unverified, _read(kept, snapshot_id))
    return differences(first, last)


def _unseen(folders: Sequence[str]) -> list[str]:
    if not folders:
        return []
    names = sorted({shown(folder) for folder in folders})
    return [f"{len(names)} folder(s) cannot be read, what changes there is not seen: {_some(names)}"]


def _unverified(changes: Sequence[Change]) -> list[str]:
    names = [shown(change.path) for change in changes if change.note == UNVERIFIED]
    if not names:
        return []
    return [f"{len(names)} file(s) were written to, whether they changed could not be verified: {_some(names)}"]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
