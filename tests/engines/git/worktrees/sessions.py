"""A repository with work trees of sessions, for the tests of their engine."""

from __future__ import annotations

import os
from pathlib import Path

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.value import Value
from deedlog.git.worktrees import GitWorktrees
from deedlog.ports import Worktree
from tests.engines.git.repo import Engine, Repo

STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
FILES = ("a.py", "b.py", "src/c.py", ".env", "src/dev.env", "secrets/key.pem", "lib/secrets/deep/x", "CLAUDE.md")


def numbered(word: str, count: int = 20) -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


class Place:
    """The main work tree, as `repo`, and the engine."""

    def __init__(self, repo: Repo, state: Path | None = None) -> None:
        self.repo = repo
        self.state = state or repo.path / ".deedlog"
        self.state.mkdir(exist_ok=True)
        (self.state / ".gitignore").write_text("*\n")

    @classmethod
    def init(cls, folder: Path, *options: str) -> Place:
        folder.mkdir(exist_ok=True)
        repo = Repo.init(folder / "repo", Engine(folder, known=False), *options)
        repo.commit({name: numbered(name) for name in FILES})
        return cls(repo)

    @property
    def trees(self) -> GitWorktrees:
        """The engine as a process meets it that has just begun."""
        return GitWorktrees(self.repo.tree, str(self.state))

    def make(self, name: str = "task-5", *, exclude: tuple[str, ...] = (), target: str = "main") -> Session:
        made = self.trees.make(name, f"{name}-s1", target, exclude)
        return Session(self, made)

    def log(self, branch: str = "main") -> list[str]:
        return self.repo.git("log", "--first-parent", "--format=%s", branch).splitlines()

    def files(self, commit: str = "main") -> dict[str, str]:
        names = self.repo.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]
        return {name: self.repo.git("cat-file", "blob", f"{commit}:{name}") for name in names}

    def leftovers(self) -> list[str]:
        """Whatever of the work trees is there that no work tree is."""
        git = self.repo.path / ".git"
        folder = self.state / "worktrees"
        found = [name for name in os.listdir(folder) if name.startswith(".") and name != ".lock"]
        names = self.trees.names()
        kept = git / "worktrees"
        found += [name for name in os.listdir(kept) if name not in names] if kept.is_dir() else []
        found += [str(path) for path in git.rglob("*.lock") if path.parts[-2] != "trees"]
        return found


class Merged(Value):
    """What came of a merge: the commit the target is at and how, or the paths in conflict."""

    commit: str = ""
    how: str = ""
    conflicts: list[str] = []  # noqa: RUF012  # values are never changed in place


def merge(trees: GitWorktrees, branch: str, base: str, target: str, how: str, message: str) -> Merged:
    """Merge as the gate does, without judging anything; `how` is empty where there was nothing to bring."""
    with trees.merging(lambda: None) as merging:
        for _ in range(20):
            tip = trees.tip(branch)
            if not tip:
                raise NotFound(branch)
            found = merging.propose(tip, base, target, how, message)
            if found.conflicts:
                return Merged(conflicts=found.conflicts)
            if found.commit == found.onto:
                return Merged(commit=found.onto)
            if merging.move(found):
                return Merged(commit=found.commit, how=how)
    raise Conflict(f"{target} keeps moving")


class Session(Repo):
    """A work tree of a session, where an agent works."""

    def __init__(self, place: Place, made: Worktree) -> None:
        super().__init__(Path(made.path), place.repo.engine)
        self.place = place
        self.made = made
        self.branch = made.branch

    @property
    def base(self) -> str:
        return self.made.base

    def changed(self) -> str:
        """What plain git says about the tree."""
        return self.git(*STATUS)

    def on_disk(self) -> dict[str, str]:
        found = {}
        for folder, names, files in os.walk(self.path):
            for name in [*files, *(one for one in names if os.path.islink(os.path.join(folder, one)))]:
                path = Path(folder, name)
                if name != ".git":
                    mode = "link" if path.is_symlink() else "run" if os.access(path, os.X_OK) else "file"
                    text = os.readlink(path) if path.is_symlink() else path.read_text()
                    found[str(path.relative_to(self.path))] = f"{mode} {text}"
        return found

    def dirty(self) -> list[str]:
        return self.place.trees.state(self.tree, self.base).dirty

    def commits(self) -> int:
        return self.place.trees.state(self.tree, self.base).commits

    def how_merged(self, target: str = "main") -> str:
        return self.place.trees.merged(self.branch, self.base, target)

    def remove(self) -> None:
        self.place.trees.remove(self.tree, self.branch)
