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


RULES = ["*.log\nout/\n", "*.log\n", "out/\n", "f\n", "a/\n/b\n", ""]


def hidden(path: str, rules: str) -> bool:
    """Whether one of the few patterns above matches a file or a folder around it."""
    names = path.split("/")
    last = len(names) - 1
    for at, name in enumerate(names):
        matched = {
            "*.log": name.endswith(".log"),
            "out/": name == "out" and at < last,
            "f": name == "f",
            "a/": name == "a" and at < last,
            "/b": name == "b" and at == 0,
        }
        if any(matched[pattern] for pattern in rules.splitlines()):
            return True
    return False


def in_sight(seen: Seen, rules: str) -> Seen:
    return {path: file for path, file in seen.items() if not hidden(path, rules)}


def look(folder: Path) -> Seen:
    """Every file, with all its bytes."""
    found: Seen = {}
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in names + links:
            path = os.path.join(place, name)
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
        tree.write(".gitignore", RULES[0])
        work = Work(tree, chance)
        work.go_on(chance.randint(0, 25))
        states = [in_sight(look(tree.path), RULES[0])]
        tree.take()
        for _ in range(chance.choice([1, 1, 2, 3])):
            work.go_on(chance.randint(0, 15))
            states.append(in_sight(look(tree.path), RULES[0]))
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


def may_be_told(path: str, before: Seen, after: Seen, rules: tuple[str, str]) -> set[str | None]:
    """What may be said of a path when rules came and went: more than one thing if nobody looked at it before."""
    old, new = before.get(path), after.get(path)
    if old and not hidden(path, rules[0]):
        return {None} if old == new else {"modified" if new else "deleted"}
    if not new or hidden(path, rules[1]):
        return {None}
    if not old:
        return {"added"}
    return {None, "added"} if old == new else {"added", "modified"}


@pytest.mark.parametrize("part", range(3))
def test_rules_that_come_and_go_change_no_file(tmp_path: Path, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _file: None)
    for seed in range(part, HISTORIES, 3):
        chance = random.Random(seed)
        place = tmp_path / str(seed)
        place.mkdir()
        tree = Folder(place, known=chance.random() < 0.5)
        work = Work(tree, chance)
        used: list[str] = []
        states: list[Seen] = []
        for _ in range(chance.choice([2, 2, 3, 4])):
            used.append(chance.choice([*used[-1:], *RULES]))
            tree.write(".gitignore", used[-1])
            work.go_on(chance.randint(0, 20))
            states.append(look(tree.path))
            tree.take()
        told = statuses(tree.compare())
        for path in {*states[0], *states[-1], *told}:
            allowed = may_be_told(path, states[0], states[-1], (used[0], used[-1]))
            assert told.get(path) in allowed, f"history {seed}: {path!r}"
        shutil.rmtree(place)
