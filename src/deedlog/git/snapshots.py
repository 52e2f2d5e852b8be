"""Snapshots of git work trees: taken without touching the user's index, objects or hooks, compared exactly."""

from __future__ import annotations

import marshal
import os
import shutil
from itertools import pairwise

from deedlog.core.change import Comparison, Snapshot, may_be_edited
from deedlog.git.command import GitMissing
from deedlog.git.contents import Contents
from deedlog.git.difference import net, touched
from deedlog.git.left_over import committed_in, left_over, stashed
from deedlog.git.pack import Pack
from deedlog.git.pins import pin, unpin
from deedlog.git.provenance import arrived_and_own
from deedlog.git.report import report
from deedlog.git.session_tree import git_dir_of_session
from deedlog.git.state import TreeState, dumped, loaded
from deedlog.git.status import GITLINK, content_of
from deedlog.git.tree import WorkTree
from deedlog.keeping import TreeFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deedlog.git.contents import Known
    from deedlog.git.difference import Look
    from deedlog.git.repository import Repository
    from deedlog.git.status import State


class GitSnapshots:
    """Keeps, under `folder`, a private index and a few objects of each work tree. Several processes may share it."""

    def __init__(self, folder: str, *, watch_ignored: Sequence[str] = ()) -> None:
        self._folder = folder
        self._watched = watch_ignored
        self._trees: dict[str, WorkTree] = {}

    def is_repository(self, tree: str) -> bool:
        """Whether it is one, with a work tree or without."""
        is_bare = all(os.path.exists(os.path.join(tree, name)) for name in ("HEAD", "objects", "refs"))
        return is_bare or os.path.lexists(os.path.join(tree, ".git")) or bool(git_dir_of_session(tree))

    def serves(self, tree: str) -> bool:
        """Whether git can tell about a folder."""
        if not self.is_repository(tree):
            return False
        try:
            self._tree(tree)
        except GitMissing:
            return False
        return True

    def take(self, snapshot_id: str, tree: str) -> Snapshot:
        folder, work = TreeFolder(self._folder, tree), self._tree(tree)
        with folder.lock():
            os.makedirs(_objects(folder), exist_ok=True)
            last, pinned, known = _load_known(folder)
            pack = Pack(work.repository.hash_name)
            state = work.read(known, pack, self._watched)
            pack.write(_objects(folder))
            state = state.replace(at=max(state.at, last + 1))  # whatever the clock does, time goes on
            bases = list(_bases(work, state))
            pinned = sorted({*pinned, *(repository.common for repository, _ in bases)})
            folder.put("known", marshal.dumps((state.at, pinned, known)))  # first: a pin nobody knows of would stay
            for repository, commit in bases:
                pin(repository, folder.own_key, snapshot_id, commit)
            folder.write(snapshot_id, dumped(state))
            work.index.refresh(len(state.overlay))
        return Snapshot(
            id=snapshot_id,
            type="git",
            base=state.head or work.repository.empty_tree,
            tree=tree,
            at=state.at,
            branch=state.branch,
            warnings=state.warnings,
        )

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        folder, work = TreeFolder(self._folder, tree), self._tree(tree)
        states = [loaded(folder.read(name), name) for name in snapshot_ids]
        with folder.lock():
            os.makedirs(_objects(folder), exist_ok=True)
            warnings = [text for state in states[-1:] for text in state.warnings]
            start, end = states[0], states[-1]
            came = arrived_and_own(work, start, end)
            deeds = dict(net(work, start, end, _looking(folder), came, warnings))
            deeds |= left_over(work, start, end, deeds, came, warnings)
            warnings += stashed(work, start, end, came)
            git = work.git.replace(others=_places(work, states))
            changes, patches = report(git, work.repository.hash_name, deeds)
            texts = {
                one.path: git.run("cat-file", "blob", state[1])
                for one in changes
                if one.place and may_be_edited(one) and (state := deeds[one.path].end) and state[0] != GITLINK
            }
        others = len(states) - 2  # who began or ended in between
        parts = [touched(work, *pair) for pair in pairwise(states)] if others else [set()]
        if others:
            parts = [part | more for part, more in zip(parts, committed_in(work, states, deeds), strict=True)]
        # what is the same at both ends and yet the task's work shows in no interval: it may be of any
        anywhere = {change.path for change in changes}.difference(*parts)
        return Comparison(
            changes=changes,
            touched=[sorted(part | anywhere) for part in parts],
            patches=patches,
            texts=texts,
            warnings=warnings,
            contents={path: content_of(deed.end) for path, deed in deeds.items()},
        )

    def forget(self, tree: str, keep: Sequence[str], done: Sequence[str] = ()) -> None:
        folder = TreeFolder(self._folder, tree)
        with folder.lock():
            folder.forget(keep, done)
            left = folder.ids()
            at, pinned, _ = _load_known(folder)
            if os.path.isdir(tree) and not pinned:
                pinned = [self._tree(tree).repository.common]
            for common in pinned:
                if os.path.isdir(common):
                    unpin(common, folder.own_key, left)
            if left:
                return
            for name in ("objects", "lfs", "nested"):
                shutil.rmtree(folder.path(name), ignore_errors=True)
            folder.put("known", marshal.dumps((at, [], {})))
            if not os.path.isdir(tree):
                shutil.rmtree(folder.folder, ignore_errors=True)

    def paths(self, tree: str, snapshot_id: str) -> Iterator[str]:
        folder = TreeFolder(self._folder, tree)
        yield from loaded(folder.read(snapshot_id), snapshot_id).paths()
        work = self._tree(tree)
        for name in work.git.replace(index=work.index.path).run("ls-files", "-z").split(b"\0"):
            yield os.fsdecode(name)

    def _tree(self, tree: str) -> WorkTree:
        found = self._trees.get(tree)
        if found is None or not found.is_current():
            folder = TreeFolder(self._folder, tree)
            found = self._trees[tree] = WorkTree(tree, folder, _objects(folder))
        return found


def _bases(work: WorkTree, state: TreeState) -> Iterator[tuple[Repository, str]]:
    """The commits a state rests on, in every repository it is of."""
    yield work.repository, state.head
    for path, inner in state.nested.items():
        yield from _bases(work.inside(path), inner)


def _objects(folder: TreeFolder) -> str:
    return folder.path("objects")


def _load_known(folder: TreeFolder) -> tuple[int, list[str], dict[str, Known]]:
    """When the last snapshot was taken, which repositories have pins of ours, what is known of files."""
    try:
        with open(folder.path("known"), "rb") as file:
            at, pinned, files = marshal.load(file)  # noqa: S302  # a file of ours
    except (OSError, EOFError, ValueError, TypeError):
        return 0, [], {}
    return at, pinned, files


def _looking(folder: TreeFolder) -> Look:
    def look(work: WorkTree, paths: list[str]) -> dict[str, State]:
        pack = Pack(work.repository.hash_name)
        found = Contents(work.repository, work.git, {}, pack, filtering=work.filtering).look(
            (path, "") for path in paths
        )
        pack.write(_objects(folder))
        return found

    return look


def _places(work: WorkTree, states: Sequence[TreeState]) -> tuple[str, ...]:
    """Where the objects of a repository and of those inside it are."""
    inner = {path for state in states for path in state.nested}
    found = [work.repository.places["objects"]]
    for path in sorted(inner):
        if os.path.lexists(os.path.join(work.root, path, ".git")):
            found += _places(work.inside(path), [s.nested[path] for s in states if path in s.nested])
    return tuple(dict.fromkeys(found))
