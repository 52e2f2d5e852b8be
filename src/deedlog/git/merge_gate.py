"""One merge at a time: propose the result, read what it changes, check it out, and move the target to exactly it.

Everything is read from git's objects. No index, work tree or recorded list has a say in it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time

from deedlog.core.change import TASK, Comparison
from deedlog.core.errors import Part, Unavailable
from deedlog.core.secret import without_secret
from deedlog.git.acting import ActingGit
from deedlog.git.command import Git
from deedlog.git.deed import Deed
from deedlog.git.histories import Histories
from deedlog.git.intents import remove_tree
from deedlog.git.making import fill
from deedlog.git.merging import move, propose
from deedlog.git.private import hooks_folder, make_private
from deedlog.git.report import report
from deedlog.git.repository import EMPTY_TREES
from deedlog.git.status import content_of
from deedlog.git.trees import tree_difference
from deedlog.keeping import TreeLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deedlog.git.intents import TreesFolder
    from deedlog.ports import Proposal

LOCK = "deedlog-merging"
CHECKOUT, STASH = ".merging", ".stash"  # always at the same place: what `prepare` installs may contain that path
PREPARED = "deedlog-prepared"  # beside the repository: what lies in a work tree may have come with a clone
MOST_PREPARED = 5
PAUSE = 0.05
WHOLE = {"checkout.workers": "0", "core.sparseCheckout": "false"}  # every file, on all cores


class MergeLock(TreeLock):
    """Waits as long as another merge takes; `waiting` is called meanwhile and may raise."""

    def __init__(self, path: str, waiting: Callable[[], None]) -> None:
        super().__init__(path, 0.0)
        self._waiting = waiting

    def _wait(self) -> None:
        while True:
            try:
                return fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._waiting()
            time.sleep(PAUSE)


class GitMerging:
    """Used as a context."""

    def __init__(
        self,
        trees: TreesFolder,
        common: str,
        waiting: Callable[[], None],
        secret: Callable[[], str],
    ) -> None:
        self._trees = trees
        self._secret = secret
        self._common = common
        self._prepared = os.path.join(common, PREPARED)
        self._lock = MergeLock(os.path.join(common, LOCK), waiting)
        self._stashed = ""

    def __enter__(self) -> GitMerging:
        self._lock.__enter__()
        try:
            self._histories = Histories(self._trees, self._common).__enter__()
            self._clear()  # of a merge that was killed
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._clear()
            self._histories.__exit__()
        finally:
            self._lock.__exit__()

    def _clear(self) -> None:
        for name in (CHECKOUT, STASH):
            if gone := self._trees.set_aside(name):
                remove_tree(gone)

    def propose(self, tip: str, base: str, target: str, how: str, message: str, *, sign: bool = False) -> Proposal:
        self._histories.signs = sign
        return propose(self._histories, tip, base, target, how, message)

    def holds(self, target: str, commit: str) -> bool:
        return self._histories.is_ancestor(commit, f"refs/heads/{target}")

    def objects(self, commit: str, paths: Sequence[str]) -> list[str]:
        listed = self._histories.git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths) if paths else b""
        return [row.decode("utf-8", "surrogateescape") for row in listed.split(b"\0") if row]

    def move(self, proposal: Proposal) -> bool:
        return move(self._histories, proposal.target, proposal.onto, proposal.commit, self._lock.file)

    def difference(self, old: str, new: str) -> Comparison:
        git, hash_name = self._comparing()
        differing = tree_difference(git, old, new, EMPTY_TREES[hash_name])
        deeds = {
            path: Deed(start=before, end=after, found=before, origin=TASK)
            for path, (before, after) in differing.items()
        }
        changes, patches = report(git, hash_name, deeds)
        secret = self._secret()
        patches = {path: without_secret(patch, secret) for path, patch in patches.items()}
        ends = {path: content_of(after) for path, (_, after) in differing.items()}
        return Comparison(changes=changes, touched=[sorted(deeds)], patches=patches, contents=ends)

    def _comparing(self) -> tuple[Git, str]:
        """A git that writes what it needs for comparing into a folder that goes with this merge."""
        objects = os.path.join(self._histories.scratch, "objects")
        os.makedirs(objects, exist_ok=True)
        asked = ("rev-parse", "--path-format=absolute", "--show-object-format", "--git-path", "objects")
        hash_name, place = self._histories.git.run(*asked).split(b"\n", 1)
        others = (os.fsdecode(place.removesuffix(b"\n")),)
        return Git(tree=self._common, git_dir=self._common, objects=objects, others=others), hash_name.decode()

    def checkout(self, commit: str) -> str:
        if gone := self._trees.set_aside(CHECKOUT):
            remove_tree(gone)
        folder = self._folder
        try:
            os.mkdir(folder)
            make_private(self._common, self._private, folder, head=commit)
        except OSError as error:
            raise Unavailable(
                f"{folder} cannot be made: {error.strerror}", hint="check the space there", part=Part.GIT
            ) from error
        fill(ActingGit(tree=folder, git_dir=self._private, settings=WHOLE), commit)
        return folder

    def staging(self, commit: str, message: str) -> str:
        _write(os.path.join(self._private, "HEAD"), f"{commit}\n")
        place = os.path.join(self._private, "COMMIT_EDITMSG")
        _write(place, message.rstrip("\n") + "\n")
        return place

    def has_hook(self, name: str) -> bool:
        return os.access(os.path.join(self._folder, hooks_folder(self._common), name), os.X_OK)

    def stash(self, key: str, commit: str) -> None:
        place = self._trees.path(STASH)
        try:
            os.mkdir(place)
            for name in _untracked(self._folder, *self._tracked(commit)):
                _copy(self._folder, name, place)
        except OSError:  # a pipe, or no room: the next merge prepares its own checkout
            return
        self._stashed = key

    def unstash(self, key: str, commit: str) -> bool:
        place = os.path.join(self._prepared, key)
        if not os.path.isdir(place):
            return False
        try:
            for name in _untracked(place, *self._tracked(commit)):  # what the commit has by now stays as it has it
                _copy(place, name, self._folder)
            os.utime(place)
        except OSError as error:
            raise Unavailable(
                f"{place} cannot be used: {error.strerror}", hint="remove that folder", part=Part.GIT
            ) from error
        return True

    def _tracked(self, commit: str) -> tuple[set[str], set[str]]:
        """The files and folders of a commit."""
        listed = self._histories.git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split(b"\0")
        tracked = {os.fsdecode(name) for name in listed if name}
        return tracked, {name[:place] for name in tracked for place, char in enumerate(name) if char == "/"}

    def keep(self) -> None:
        if not self._stashed:
            return
        os.makedirs(self._prepared, exist_ok=True)
        place = os.path.join(self._prepared, self._stashed)
        if not os.path.lexists(place):
            os.rename(self._trees.path(STASH), place)
        kept = sorted((entry for entry in os.scandir(self._prepared)), key=lambda entry: entry.stat().st_mtime)
        for entry in kept[:-MOST_PREPARED]:
            remove_tree(entry.path)

    @property
    def _folder(self) -> str:
        return self._trees.path(CHECKOUT)

    @property
    def _private(self) -> str:
        return os.path.join(self._folder, ".git")


def _untracked(folder: str, tracked: set[str], folders: set[str], inside: str = "") -> Iterator[str]:
    """The files and whole folders that no commit has. Git is not asked: its settings there may be anything by now."""
    with os.scandir(os.path.join(folder, inside)) as entries:
        for entry in entries:
            name = f"{inside}/{entry.name}" if inside else entry.name
            if name == ".git" or name in tracked:
                continue
            if name not in folders:
                yield name
            elif entry.is_dir(follow_symlinks=False):
                yield from _untracked(folder, tracked, folders, name)


def _copy(source: str, name: str, target: str) -> None:
    """Copy a file or a folder. Links stay links, and nothing is copied through one."""
    old, new = os.path.join(source, name), os.path.join(target, name)
    _make_folders(target, os.path.dirname(name))
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    if os.path.isdir(old) and not os.path.islink(old):
        shutil.copytree(old, new, symlinks=True)
    else:
        shutil.copy2(old, new, follow_symlinks=False)


def _make_folders(top: str, name: str) -> None:
    folder = top
    for part in filter(None, name.split("/")):
        folder = os.path.join(folder, part)
        if not os.path.lexists(folder):
            os.mkdir(folder)
        elif os.path.islink(folder) or not os.path.isdir(folder):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
