"""Real repositories for the tests of the git engine, and tasks that run in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from deedlog.core.change import ADDED, ARRIVED, DELETED, MIXED, MODIFIED, TASK, Change, Comparison, Snapshot
from deedlog.git.snapshots import GitSnapshots
from tests.engines.git.trace import untouched

KNOWN = pytest.mark.parametrize("repo", ["known"], indirect=True)  # for tests that need no first contact
LETTERS = {ADDED: "A", MODIFIED: "M", DELETED: "D"}
SETTINGS = """
[user]
name = Tester
email = tester@example.invalid
[init]
defaultBranch = main
[pull]
rebase = false
[protocol "file"]
allow = always
[maintenance]
auto = false
[core]
fsync = none
"""


def lines(word: str, count: int = 10) -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


def scrubbed() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


class Outcome:
    """What one task came to, once it has ended."""

    def __init__(self, start: Snapshot) -> None:
        self.start = start
        self.end = start
        self.compared = Comparison(changes=[], touched=[])

    def _letters(self, *origins: str) -> dict[str, str]:
        return {one.path: LETTERS[one.status] for one in self.compared.changes if one.origin in origins}

    @property
    def net(self) -> dict[str, str]:
        """Everything that differs, whoever did it."""
        return self._letters(TASK, MIXED, ARRIVED)

    @property
    def own(self) -> dict[str, str]:
        return self._letters(TASK, MIXED)

    @property
    def arrived(self) -> dict[str, str]:
        return self._letters(ARRIVED)

    @property
    def patch(self) -> bytes:
        return self.compared.patch

    @property
    def warnings(self) -> list[str]:
        return [*self.start.warnings, *self.end.warnings, *self.compared.warnings]

    def __getitem__(self, path: str) -> Change:
        return next(one for one in self.compared.changes if one.path == path)


def sound(compared: Comparison) -> Comparison:
    """Holds for every comparison, whatever happened."""
    paths = [one.path for one in compared.changes]
    assert paths == sorted(set(paths))
    for one in compared.changes:
        assert one.status in LETTERS
        assert one.origin in {TASK, MIXED, ARRIVED}
    assert {(one.renamed_from, one.path) for one in compared.changes if one.renamed_from} == {
        (one.path, one.renamed_to) for one in compared.changes if one.renamed_to
    }
    return compared


class Engine:
    """The engine as many short processes use it: each call begins with what is on disk, and leaves no trace.

    With `known`, every repository was seen by an earlier task: private state of it exists and may be stale.
    """

    def __init__(self, place: Path, *, known: bool, watch_ignored: Sequence[str] = ()) -> None:
        self.place = place
        self.known = known
        self.store = str(place / "store")
        self.watch_ignored = watch_ignored
        self.taken: list[str] = []

    def opened(self) -> GitSnapshots:
        return GitSnapshots(self.store, watch_ignored=self.watch_ignored)

    def take(self, snapshot_id: str, tree: str) -> Snapshot:
        self.taken.append(snapshot_id)
        with untouched(self.place, self.store, strictly=True):
            return self.opened().take(snapshot_id, tree)

    def compare(self, tree: str, snapshot_ids: Sequence[str]) -> Comparison:
        with untouched(self.place, self.store):
            return sound(self.opened().compare(tree, snapshot_ids))

    def forget(self, tree: str, keep: Sequence[str] = ()) -> None:
        """Every task but those whose snapshots to keep has ended."""
        with untouched(self.place, self.store):
            self.opened().forget(tree, keep, [one for one in self.taken if one not in keep])


class Repo:
    """A work tree, its files and its git."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self.engine = engine
        self.tree = str(path)

    @classmethod
    def init(cls, path: Path, engine: Engine, *options: str) -> Repo:
        path.mkdir()
        repo = cls(path, engine)
        repo.git("init", "--quiet", *options)
        return repo

    def beside(self, name: str, *options: str) -> Repo:
        """Another, empty repository."""
        return Repo.init(self.path.parent / name, self.engine, *options)

    def clone(self, name: str) -> Repo:
        """A colleague's clone, which is also where this repository pulls from."""
        self.git("clone", "--quiet", self.tree, f"../{name}")
        self.git("remote", "add", "origin", f"../{name}")
        return Repo(self.path.parent / name, self.engine)

    def git(self, *arguments: str, check: bool = True, given: str = "") -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=scrubbed(),
            input=given.encode(errors="surrogateescape"),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0 or not check, (arguments, done.stdout, done.stderr)
        return done.stdout.decode(errors="surrogateescape")

    def write(self, path: str, content: str | bytes = "new\n") -> None:
        place = self.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def append(self, path: str, content: str = "more\n") -> None:
        with (self.path / path).open("a") as file:
            file.write(content)

    def read(self, path: str) -> bytes:
        return (self.path / path).read_bytes()

    def delete(self, path: str) -> None:
        (self.path / path).unlink()

    def rename(self, old: str, new: str) -> None:
        (self.path / old).rename(self.path / new)

    def link(self, path: str, target: str) -> None:
        (self.path / path).symlink_to(target)

    def same_size_edit(self, path: str) -> None:
        """Other bytes, as many, and the time of the last change put back."""
        place = self.path / path
        before = place.stat()
        place.write_bytes(bytes(byte ^ 1 if byte > 32 else byte for byte in place.read_bytes()))
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> str:
        """Write files, commit everything, return the hash."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=work")
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def refs(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)").split()

    def seen(self) -> Repo:
        """An earlier task has run and ended here, where the engine is to know its repositories."""
        if self.engine.known:
            with self.task("earlier"):
                pass
        return self

    @contextmanager
    def task(self, name: str = "task") -> Iterator[Outcome]:
        """What happens inside is the task."""
        outcome = Outcome(self.engine.take(f"{name}-start", self.tree))
        yield outcome
        outcome.end = self.engine.take(f"{name}-end", self.tree)
        outcome.compared = self.engine.compare(self.tree, [f"{name}-start", f"{name}-end"])
        self.engine.forget(self.tree)
