"""One work tree of git's: reading its state."""

from __future__ import annotations

import glob
import os
import shutil
import time

from deedlog.git.command import Git, GitFailed, not_understood
from deedlog.git.contents import Contents
from deedlog.git.converting import FILTERS_OFF, is_of_filter, without_filters
from deedlog.git.ignoring import excluding, ignored_then
from deedlog.git.index import PrivateIndex
from deedlog.git.inner import STAYING_OUT, gitlinks, is_of_session, is_there
from deedlog.git.reflog import STASH, Reflog
from deedlog.git.repository import Repository, config_stamp, open_repository
from deedlog.git.state import TreeState
from deedlog.git.status import COMMAND, GITLINK, Status, parse
from deedlog.keeping import TreeFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deedlog.git.contents import Known
    from deedlog.git.pack import Pack
    from deedlog.git.status import State

MOST_ARGUMENTS = 500
MOST_LISTED = 50_000


class WorkTree:
    """A work tree, and what is kept of it beside its snapshots."""

    def __init__(self, tree: str, folder: TreeFolder, objects: str, *, trusted: bool = True) -> None:
        """Without the filters that it names, if it is not trusted."""
        self.filtering = trusted
        self._stays_out = not trusted or is_of_session(tree)
        self.repository: Repository = open_repository(tree)
        self.root = self.repository.root
        self._stamp = config_stamp(self.repository)
        self._folder = folder
        self._objects = objects
        self.git = Git(
            tree=self.root,
            objects=objects,
            others=(self.repository.places["objects"],),
            # a large file's filter keeps what it cleaned: with us, not in the user's repository
            settings={"lfs.storage": folder.path("lfs")},
        )
        if not trusted:
            self.git = without_filters(self.git, self.repository)
        self.index = PrivateIndex(self.repository, folder, self.git)

    def is_current(self) -> bool:
        return config_stamp(self.repository) == self._stamp

    def read(self, known: dict[str, Known], pack: Pack, watched: Sequence[str] = (), at: str = "") -> TreeState:
        """The state now. Contents a patch may need go to `pack`; `known` is what is known of files, by repository."""
        now = time.time_ns() // 1000
        reflog = Reflog(self.repository.places["logs/HEAD"])
        with self._folder.lock() if at else _Held():
            try:
                skipped = self.index.prepare(reflog)
                status, filtering = self._status()
            except GitFailed:  # the copy may be at fault: a machine can lose what was written last
                self.index.drop()
                skipped = self.index.prepare(reflog)
                status, filtering = self._status()
            staged, hidden = self._staged(status)
            skipped += staged
            for path in hidden:
                del status.entries[path]
            contents = Contents(self.repository, self.git, known.get(at, {}), pack, filtering=filtering)
            warnings = [FILTERS_OFF] if self.filtering and not filtering else []
            nested = {}
            for path, files in self._inner(status).items():
                inner = self.inside(path)
                prefix = f"{at}{path}/"
                state = inner.read(known, pack, at=prefix)
                nested[path] = state.replace(files=inner.head_files(state) if files else None)
            nested |= self._linked(status, known, pack, at) if self._stays_out else {}
            overlay = self._overlay(status, contents, nested, self._watched(watched, status), skipped)
            known[at] = contents.seen
            shutil.rmtree(self._folder.path("lfs"), ignore_errors=True)  # only the ids were wanted
        return TreeState(
            head=status.head,
            branch=status.branch,
            at=now,
            overlay=overlay,
            nested=nested,
            reflog=reflog.position,
            ignoring=excluding(self.repository),
            branches=self.branches() if not (at or reflog.head) else {},
            stash=Reflog(os.path.join(self.repository.common, STASH)).position if not at else None,
            warnings=warnings + contents.warnings + _closed(contents.out_of_reach),
        )

    def _status(self) -> tuple[Status, bool]:
        """What git says, and whether it could use the user's filters for it."""
        git = self.git.replace(index=self.index.path)
        try:
            return self._parsed(git), self.filtering
        except GitFailed as error:
            if not is_of_filter(error):
                raise
        return self._parsed(without_filters(git, self.repository)), False

    def _parsed(self, git: Git) -> Status:
        try:
            command = STAYING_OUT if self._stays_out else COMMAND
            status = parse(git.run(*command))
            if not all(self.is_repository(path) for path in status.nested):
                # the cache of untracked files does not notice a repository that became a mere folder
                status = parse(git.replace(settings={**git.settings, "core.untrackedCache": "false"}).run(*command))
        except ValueError as error:
            raise not_understood(self.root, "status") from error
        return status

    def _staged(self, status: Status) -> tuple[list[str], set[str]]:
        """Where the copy is older than the user's own index: ignored paths that only theirs has, and that only it has.

        An ignored file shows where it is tracked, and nowhere else.
        """
        if not self.index.is_behind():
            return [], set()
        listed = self.index.remembered(status.head, lambda: self._added(status.head))
        names = {os.fsdecode(name) for name in listed.split(b"\0")[:-1]}
        shown = {*status.entries, *status.untracked}
        ours = [path for path, entry in status.entries.items() if entry.head is None and path not in names]
        added = [path for path, head in self.heads(status.head, ours).items() if head is None]
        hidden = ignored_then(self, added, {}, excluding(self.repository)) if added else set()
        return [name for name in names if name not in shown], hidden

    def _added(self, head: str) -> bytes:
        """The paths that the user's own index has and HEAD has not."""
        theirs = self.git.replace(index=self.repository.places["index"])
        words = ("diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=AU")
        return theirs.run(*words, head or self.repository.empty_tree)

    def _inner(self, status: Status) -> dict[str, bool]:
        """Repositories inside this one that may differ from what it knows of them; True for those not its own."""
        found = {path: False for path, entry in status.entries.items() if entry.is_submodule and entry.mode == GITLINK}
        for path in status.nested:
            if self._is_other_repository(path):
                found[path] = True
        return {path: files for path, files in found.items() if self.is_repository(path)}

    def _linked(self, status: Status, known: dict[str, Known], pack: Pack, at: str) -> dict[str, TreeState]:
        """Submodules at the commit they should be at, where something in them differs: git was not to look."""
        found = {}
        for path, commit in gitlinks(self.git.replace(index=self.index.path)).items():
            if path in status.entries or not is_there(self.root, path):
                continue
            try:
                state = self.inside(path).read(known, pack, at=f"{at}{path}/")
            except GitFailed:  # it is none; to git, too, it is then as it should be
                continue
            if state.head != commit or state.overlay or state.nested:
                found[path] = state
        return found

    def is_repository(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self.root, path, ".git"))

    def _is_other_repository(self, path: str) -> bool:
        """Whether it is not just another work tree of this repository."""
        pointer = os.path.join(self.root, path, ".git")
        if os.path.isdir(pointer):
            return True
        try:
            with open(pointer, "rb") as file:
                target = os.fsdecode(file.read().removeprefix(b"gitdir:").strip())
        except OSError:
            return False
        place = os.path.realpath(os.path.join(os.path.dirname(pointer), target))
        ours = os.path.join(os.path.realpath(self.repository.common), "worktrees")
        return os.path.dirname(place) != ours

    def inside(self, path: str) -> WorkTree:
        """A repository inside this one."""
        place = os.path.join(self.root, path)
        trusted = not (self._stays_out or is_of_session(place))
        return WorkTree(place, TreeFolder(self._folder.path("nested"), place), self._objects, trusted=trusted)

    def head_files(self, state: TreeState) -> dict[str, State]:
        """What HEAD holds, of a repository that may be gone when it is asked for."""
        if not state.head:
            return {}
        listed = self.git.run("ls-tree", "-r", "-z", state.head)
        return dict(_listed(listed)) if listed.count(b"\0") <= MOST_LISTED else {}

    def _overlay(
        self,
        status: Status,
        contents: Contents,
        nested: dict[str, TreeState],
        watched: Sequence[str],
        skipped: Sequence[str],
    ) -> dict[str, tuple[State, State]]:
        heads: dict[str, State] = {path: entry.head for path, entry in status.entries.items()}
        heads |= self.heads(status.head, [path for path, entry in status.entries.items() if entry.head_unsure])
        heads |= self.heads(status.head, [*watched, *skipped])
        disks: dict[str, State] = {path: entry.disk for path, entry in status.entries.items()}
        # outside a sparse checkout git takes a file for there because its index, which may be old, says so
        doubtful = self.repository.is_sparse
        tracked = [
            (path, e.mode)
            for path, e in status.entries.items()
            if path not in nested and (e.look or (doubtful and e.head is None and not e.is_submodule))
        ]
        disks |= contents.look(tracked)  # before what is untracked: there may be too much of that to keep
        disks |= contents.look((path, "") for path in (*status.untracked, *watched))
        # git was told to skip these: they count only where somebody wrote them
        disks |= {path: state for path, state in contents.look((path, "") for path in skipped).items() if state}
        left = contents.left_behind()
        heads |= self.heads(status.head, [path for path in left if path not in heads])
        disks |= left
        disks |= {path: (GITLINK, state.head) for path, state in nested.items() if path in heads}
        return {path: (disk, heads.get(path)) for path, disk in disks.items() if disk != heads.get(path)}

    def heads(self, commit: str, paths: Sequence[str]) -> dict[str, State]:
        """What a commit, "" for none, has of some paths."""
        found: dict[str, State] = dict.fromkeys(paths)
        for place in range(0, len(paths) if commit else 0, MOST_ARGUMENTS):
            some = paths[place : place + MOST_ARGUMENTS]
            found |= _listed(self.git.run("ls-tree", "-z", commit, "--", *some))
        return found

    def branches(self) -> dict[str, str]:
        """The commits that branches are at, by their full names."""
        rows = os.fsdecode(
            self.git.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
        ).splitlines()
        return {ref: at for at, _, ref in (row.partition(" ") for row in rows)}

    def _watched(self, patterns: Sequence[str], status: Status) -> list[str]:
        """Files that are ignored and shall be watched all the same."""
        found = {
            path
            for pattern in patterns
            for path in glob.glob(pattern, root_dir=self.root, recursive=True, include_hidden=True)
            if os.path.isfile(os.path.join(self.root, path))
        }
        found -= {*status.untracked, *status.entries}
        return sorted(found)


class _Held:
    """The lock of the topmost tree is held by whoever reads it."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


def _closed(paths: list[str]) -> list[str]:
    if not paths:
        return []
    return [f"files out of reach, taken to be as they were seen last: {len(paths)}, among them {paths[0]}"]


def _listed(text: bytes) -> Iterable[tuple[str, State]]:
    """What `ls-tree -z` printed."""
    for line in text.split(b"\0"):
        if line:
            facts, _, name = line.partition(b"\t")
            mode, _, oid = facts.split(b" ")
            yield os.fsdecode(name), (mode.decode(), oid.decode())
