"""The work trees of one repository, as git keeps them, and settings that hold in one of them only."""

from __future__ import annotations

import os
import shutil
import time

from deedlog.core.value import Value
from deedlog.git.acting import ActingGit
from deedlog.git.command import Git
from deedlog.git.repository import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

EXTENSION = "extensions.worktreeConfig"
NOT_SHARED = "core.bare", "core.worktree"  # what git itself moves when settings become a work tree's own
LOCKED, NOT_THERE = 255, 5
TRIES, PAUSE = 50, 0.05


class Linked(Value):
    """One work tree: `git_dir` is what git keeps of it, `branch` the one it is on, if any."""

    path: str
    git_dir: str
    branch: str
    is_main: bool

    @property
    def pointed(self) -> str:
        """For git: where to look without asking the tree; in the main one git finds it by itself."""
        return "" if self.is_main else self.git_dir


def common_of(root: str) -> str:
    """The directory that all work trees of a repository share."""
    out = Git(tree=root).run("rev-parse", "--path-format=absolute", "--git-common-dir")
    return os.fsdecode(out.removesuffix(b"\n"))


def all_trees(common: str) -> list[Linked]:
    """The main work tree, unless the repository is bare, and the linked ones, there or not."""
    out = Git(tree=common).run("worktree", "list", "--porcelain", "-z")
    git_dirs = dict(_pointers(common))
    found = []
    for number, entry in enumerate(out.split(b"\0\0")):
        facts = dict(line.partition(b" ")[::2] for line in entry.split(b"\0") if line)
        if b"worktree" not in facts or b"bare" in facts:
            continue
        path = os.fsdecode(facts[b"worktree"])
        branch = os.fsdecode(facts.get(b"branch", b"")).removeprefix("refs/heads/")
        git_dir = common if number == 0 else git_dirs.get(path, "")
        found.append(Linked(path=path, git_dir=git_dir, branch=branch, is_main=number == 0))
    return found


def git_dir_of(common: str, tree: str) -> str:
    """What git keeps of a linked work tree, found without asking the tree itself; empty where it knows none."""
    found = next((git_dir for path, git_dir in _pointers(common) if _same(path, tree)), "")
    return found or _moved(common, tree)


def _moved(common: str, tree: str) -> str:
    """The same for a tree that moved with its repository; both pointers are repaired, as by `git worktree repair`."""
    for path, git_dir in _pointers(common):
        if os.path.basename(path) != os.path.basename(tree) or os.path.lexists(path):
            continue
        pointer = os.path.join(tree, ".git")
        name = os.path.basename(git_dir)
        if os.path.islink(pointer) or not text_at(pointer).rstrip().endswith(os.fsencode(f"/worktrees/{name}")):
            continue
        for place, text in ((os.path.join(git_dir, "gitdir"), pointer), (pointer, f"gitdir: {git_dir}")):
            with open(place, "wb") as file:
                file.write(os.fsencode(text) + b"\n")
        return git_dir
    return ""


def _pointers(common: str) -> Iterator[tuple[str, str]]:
    folder = os.path.join(common, "worktrees")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        git_dir = os.path.join(folder, name)
        try:
            with open(os.path.join(git_dir, "gitdir"), "rb") as file:
                text = os.fsdecode(file.read().removesuffix(b"\n"))
        except OSError:
            continue
        pointer = os.path.normpath(os.path.join(git_dir, text))
        yield os.path.dirname(pointer), git_dir


def _same(one: str, other: str) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def forget_tree(common: str, tree: str) -> None:
    """Let git forget a linked work tree whose folder is gone, also one that is locked."""
    git_dir = git_dir_of(common, tree)
    if git_dir and not os.path.lexists(tree):
        ActingGit(tree=common).run("worktree", "remove", "--force", "--force", tree, fine=(0, 128))
        if os.path.lexists(git_dir):  # one that git does not recognise any more
            shutil.rmtree(git_dir, ignore_errors=True)


def configure(common: str, git_dir: str, settings: dict[str, str]) -> None:
    """Let settings hold in one work tree alone."""
    _part_settings(common)
    for name, value in settings.items():
        _change(ActingGit(tree=common), os.path.join(git_dir, "config.worktree"), name, value)


def _part_settings(common: str) -> None:
    """Let work trees have settings of their own, in the order in which git does it for `git sparse-checkout`.

    Each step is done again until all are: a killed one is made up for.
    """
    git = ActingGit(tree=common)
    shared, main = os.path.join(common, "config"), os.path.join(common, "config.worktree")
    for name in NOT_SHARED:
        value = git.run("config", "--file", shared, "--get", name, fine=(0, 1)).removesuffix(b"\n")
        if value and (name != "core.bare" or value == b"true"):
            _change(git, main, name, os.fsdecode(value))
            _change(git, shared, EXTENSION, "true")
            _change(git, shared, "--unset-all", name)
    if git.run("config", "--file", shared, "--get", EXTENSION, fine=(0, 1)).strip() != b"true":
        _change(git, shared, EXTENSION, "true")


def _change(git: Git, file: str, *words: str) -> None:
    """Change settings, when nobody else is at it; git does not wait for its lock."""
    for _ in range(TRIES):
        if git.ask("config", "--file", file, *words, fine=(0, NOT_THERE, LOCKED))[0] != LOCKED:
            return
        time.sleep(PAUSE)
    git.run("config", "--file", file, *words, fine=(0, NOT_THERE))
