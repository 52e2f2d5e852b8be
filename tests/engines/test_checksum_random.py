"""Random work in a folder without git: the report must equal what reading every byte tells."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from deedlog.core.change import Change
from tests.engines.folder import Folder, statuses

HISTORIES = int(os.environ.get("DEEDLOG_RANDOM_HISTORIES", "300"))
NAMES = [*"abcdef", "A", "x.log", "out", "new\nline", "é", os.fsdecode(b"caf\xe9"), " "]
CONTENTS = [b"", b"a\n", b"b\n", b"c\n", b"aa\n", b"longer than the others\n", bytes(range(256)) * 20]

Seen = dict[str, tuple[str, bytes]]


def look(folder: Path) -> Seen:
    """Every file that the rules (`*.log` and `out/`) let one see, with all its bytes."""
    found: Seen = {}
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        folders[:] = [name for name in folders if name != "out" and not name.endswith(".log")]
        for name in names + links:
            path = os.path.join(place, name)
            if name.endswith(".log"):
                continue
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = ("link", os.fsencode(os.readlink(path)))
            elif os.path.isfile(path):
                kind = "program" if os.stat(path).st_mode & 0o100 else "file"
                found[os.path.relpath(path, folder)] = (kind, Path(path).read_bytes())
    return found


def truth(before: Seen, after: Seen) -> dict[str, str]:
    told = dict.fromkeys(after.keys() - before.keys(), "added")
    told |= dict.fromkeys(before.keys() - after.keys(), "deleted")
    return told | {path: "modified" for path in before.keys() & after.keys() if before[path] != after[path]}


class Work:
    """One thing after the other happens to a folder; what cannot happen does not."""

    def __init__(self, tree: Folder, chance: random.Random) -> None:
        self._tree = tree
        self._chance = chance
        self._deeds: list[Callable[[], None]] = [
            *[self.write] * 4,
            *(self.edit_in_place, self.edit_and_put_time_back, self.rewrite, self.touch, self.remove, self.move),
            *(self.copy, self.link, self.set_mode, self.replace_by_rename, self.make_folder, self.remove_folder),
            *(self.make_pipe, self.hard_link),
        ]

    def go_on(self, deeds: int) -> None:
        for _ in range(deeds):
            try:
                self._chance.choice(self._deeds)()
            except (OSError, shutil.Error):
                continue

    def _path(self) -> str:
        return self._tree.at("/".join(self._chance.choices(NAMES, k=self._chance.choice([1, 1, 2, 3]))))

    def _there(self) -> str:
        found = {path for path in look(self._tree.path) if os.path.isfile(self._tree.at(path))} - {".gitignore"}
        if not found:
            raise FileNotFoundError
        return self._tree.at(self._chance.choice(sorted(found)))

    def write(self) -> None:
        path = self._path()
        if not os.path.exists(path) or os.path.isfile(path):  # a pipe would wait for a reader
            self._tree.write(os.path.relpath(path, self._tree.path), self._chance.choice(CONTENTS))

    def edit_in_place(self) -> None:
        with open(self._there(), "r+b") as file:
            file.write(self._chance.choice([b"X", b"Y"]))

    def edit_and_put_time_back(self) -> None:
        path = self._there()
        facts = os.stat(path)
        with open(path, "r+b") as file:
            file.write(self._chance.choice([b"X", b"Y"]))
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    def rewrite(self) -> None:
        path = Path(self._there())
        path.write_bytes(path.read_bytes())

    def touch(self) -> None:
        os.utime(self._there())

    def remove(self) -> None:
        os.unlink(self._there())

    def move(self) -> None:
        os.rename(self._chance.choice([self._there, self._path])(), self._path())

    def copy(self) -> None:
        shutil.copy2(self._there(), self._path(), follow_symlinks=False)

    def link(self) -> None:
        os.symlink(self._chance.choice(NAMES), self._path())

    def hard_link(self) -> None:
        os.link(self._there(), self._path(), follow_symlinks=False)

    def set_mode(self) -> None:
        os.chmod(self._there(), self._chance.choice([0o600, 0o644, 0o755, 0o444]))

    def replace_by_rename(self) -> None:
        unfinished = self._tree.at("unfinished")
        Path(unfinished).write_bytes(self._chance.choice(CONTENTS))
        os.rename(unfinished, self._there())

    def make_folder(self) -> None:
        os.makedirs(self._path())

    def remove_folder(self) -> None:
        path = self._path()
        if os.path.isdir(path):  # opening a pipe would wait for a writer
            shutil.rmtree(path)

    def make_pipe(self) -> None:
        os.mkfifo(self._path())


@pytest.mark.proves("track:change:checksum")
@pytest.mark.parametrize("part", range(3))
def test_the_report_equals_a_walk_over_every_byte(tmp_path: Path, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _file: None)  # waiting for the disk is most of the time
    for seed in range(part, HISTORIES, 3):
        chance = random.Random(seed)
        place = tmp_path / str(seed)
        place.mkdir()
        tree = Folder(place, known=chance.random() < 0.5)
        tree.write(".gitignore", "*.log\nout/\n")
        work = Work(tree, chance)
        work.go_on(chance.randint(0, 25))
        states = [look(tree.path)]
        tree.take()
        for _ in range(chance.choice([1, 1, 2, 3])):
            work.go_on(chance.randint(0, 15))
            states.append(look(tree.path))
            tree.take()
        found = tree.compare()
        assert statuses(found) == truth(states[0], states[-1]), f"history {seed}"
        between = [truth(one, other) for one, other in pairwise(states)]
        assert found.touched == [sorted(paths) for paths in between], f"history {seed}"
        assert not [change for change in found.changes if change.note], f"history {seed}"
        check_renames(found.changes, states[0], states[-1])
        shutil.rmtree(place)


def check_renames(changes: list[Change], before: Seen, after: Seen) -> None:
    """Both halves name each other, and are of the same content."""
    pairs = {(c.path, c.renamed_to) for c in changes if c.renamed_to}
    assert pairs == {(c.renamed_from, c.path) for c in changes if c.renamed_from}
    assert all(before[old] == after[new] for old, new in pairs)
