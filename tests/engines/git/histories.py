"""Repositories in which random things happen. Every step is written down, so that a failure can be played again."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from tests.engines.git.repo import scrubbed

PLACES = [
    "a.txt", "b.txt", "dir/c.txt", "dir/d.txt", "dir/sub/e.txt", "dir/sub/f.txt", "other/g.txt", "é 中.txt",
    'q"uote.txt', "new\nline.txt", "-dash", "x.log", "dir/y.log", "build/out.o", "build/sub/z.log", "top",
    os.fsdecode(b"caf\xe9.txt"),
]  # fmt: skip
FOLDERS = ["dir", "dir/sub", "other", "build"]
BRANCHES = ["main", "feature", "third"]
RULES = ["*.log", "build/", "/dir/d.txt", "sub/", "*.txt", "!x.log", "top", "scratch-*", "other/*"]
INNER = "inner"  # a repository inside, which the outer one never adds
SUBMODULE = "lib"  # in some repositories
SCRATCH = "scratch-"  # files that are never added
AS_THEY_ARE = [".", f":!{INNER}", f":!{SCRATCH}*"]
WORDS = ["alpha\n", "beta\n", "gamma\n", "delta\n", "epsilon\n", "tail"]

Step = Callable[["History"], None]


class History:
    """`foreign` says whether something happened that may have brought the work of others."""

    def __init__(self, seed: str, tree: Path, steps: Sequence[Step], foreign: Collection[str]) -> None:
        self._steps = steps
        self._bringing = foreign
        self.chance = random.Random(seed)
        self.seed = seed
        self.tree = tree
        self.told: list[str] = []
        self.foreign = False
        self._environment = {**scrubbed(), "GIT_EDITOR": "true"}

    def go(self, steps: int) -> None:
        for _ in range(steps):
            action = self.chance.choice(self._steps)
            self.told.append(f"# {action.__name__}")
            self.foreign |= action.__name__ in self._bringing or (self.tree / ".git/MERGE_HEAD").exists()
            action(self)

    def tell(self, text: str) -> None:
        self.told.append(text)

    def git(self, *arguments: str, at: str = "") -> bool:
        done = subprocess.run(
            ["git", *arguments], cwd=self.tree / at, env=self._environment, capture_output=True, check=False
        )
        self.told.append(f"git {' '.join(map(ascii, arguments))}{' in ' + at if at else ''} -> {done.returncode}")
        return done.returncode == 0

    def place(self) -> str:
        return self.chance.choice(PLACES)

    def existing(self) -> str | None:
        """A file that is there, of those the outer repository may add."""
        found = [path for path in PLACES if os.path.lexists(self.tree / path) and self.is_plain(path)]
        return self.chance.choice(found) if found else None

    def is_plain(self, path: str) -> bool:
        """Whether it is a file or a link, and not behind a link."""
        full = self.tree / path
        return all(not one.is_symlink() for one in full.parents if one != self.tree) and (
            full.is_symlink() or full.is_file()
        )

    def content(self) -> bytes:
        kind = self.chance.random()
        if kind < 0.05:
            return b""
        if kind < 0.12:
            return bytes(self.chance.randrange(256) for _ in range(40))
        text = "".join(self.chance.choice(WORDS) for _ in range(self.chance.randint(1, 8)))
        return (text.replace("\n", "\r\n") if kind < 0.17 else text).encode()

    def write(self, path: str, content: bytes) -> None:
        """Write a file; what is in its way goes."""
        full = self.tree / path
        for folder in reversed(full.relative_to(self.tree).parents[:-1]):
            if (self.tree / folder).is_symlink() or (self.tree / folder).is_file():
                (self.tree / folder).unlink()
        self.remove(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content)
        self.tell(f"write {path!a} {content!a}")

    def overwrite(self, path: str, content: bytes) -> None:
        """Keep what it is: the same inode, the same mode."""
        if (self.tree / path).is_symlink():
            return
        (self.tree / path).write_bytes(content)
        self.tell(f"overwrite {path!a} {content!a}")

    def read(self, path: str) -> bytes:
        return b"" if (self.tree / path).is_symlink() else (self.tree / path).read_bytes()

    def remove(self, path: str) -> None:
        full = self.tree / path
        if full.is_dir() and not full.is_symlink():
            shutil.rmtree(full)
        elif os.path.lexists(full):
            full.unlink()
        self.tell(f"remove {path!a}")
