"""The states of work trees: with git where there is a repository, by checksums where there is none."""

from __future__ import annotations

import os

from deedlog.core.errors import Part, Unavailable
from deedlog.core.secret import without_secret
from deedlog.files.checksum import ChecksumSnapshots
from deedlog.git.snapshots import GitSnapshots
from deedlog.keeping import TreeFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deedlog.core.change import Comparison, Snapshot

GIT, CHECKSUM = b"git", b"checksum"
NO_GIT = "this is a git repository, but there is no git on this machine: files are compared by checksums"


class TreeSnapshots:
    """Asks the engine that took the snapshots there are of a tree; where there are none, the one that fits."""

    def __init__(
        self,
        tree: str,
        store: str,
        *,
        watch_ignored: Sequence[str] = (),
        secret: Callable[[], str] = lambda: "",
    ) -> None:
        self._tree = tree
        self._secret = secret
        self._folder = os.path.join(store, "trees")
        self._git = GitSnapshots(self._folder, watch_ignored=watch_ignored)
        self._checksum = ChecksumSnapshots(self._folder)

    def take(self, snapshot_id: str, tree: str | None = None) -> Snapshot:
        tree = tree or self._tree
        with _InWords(tree):
            engine = self._engine(tree)
            taken = engine.take(snapshot_id, tree)
            if engine is self._checksum and self._git.is_repository(tree) and not self._git.serves(tree):
                taken = taken.replace(warnings=[*taken.warnings, NO_GIT])
            return taken

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        with _InWords(tree):
            found = self._engine(tree).compare(tree, snapshot_ids)
        secret = self._secret()
        return found.replace(patches={path: without_secret(patch, secret) for path, patch in found.patches.items()})

    def forget(self, tree: str, keep: Sequence[str], done: Sequence[str] = ()) -> None:
        with _InWords(tree):
            self._engine(tree).forget(tree, keep, done)

    def abandoned(self, tree: str) -> list[str]:
        return TreeFolder(self._folder, tree).abandoned()

    def here(self, tree: str) -> list[str]:
        return TreeFolder(self._folder, tree).ids()

    def paths(self, tree: str, snapshot_id: str) -> Iterator[str]:
        return self._engine(tree).paths(tree, snapshot_id)

    def _engine(self, tree: str) -> GitSnapshots | ChecksumSnapshots:
        """A repository may appear or vanish while a task runs: its end is seen as its start was."""
        folder = TreeFolder(self._folder, tree)
        chosen = _read(folder.path("engine")) if folder.ids() else b""
        if chosen not in (GIT, CHECKSUM):
            chosen = GIT if self._git.serves(tree) else CHECKSUM
            folder.put("engine", chosen)
        return self._git if chosen == GIT else self._checksum


class _InWords:
    """What the system refuses an engine is a refusal of ours: a task can still be ended without its changes."""

    def __init__(self, tree: str) -> None:
        self._tree = tree

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            raise Unavailable(
                f"the state of {self._tree} cannot be read or kept: {error.strerror}",
                hint="check the space and the permissions, there and in the store's folder",
                part=Part.GIT,
            ) from error


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
