"""What a snapshot of a folder without git leaves out."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from deedlog.files.manifest import Manifest
from deedlog.files.reading import TICK, Window
from deedlog.files.walker import Walk
from tests.engines.folder import Folder, statuses

FOLDERS = int(os.environ.get("DEEDLOG_RANDOM_FOLDERS", "60"))
NAMES = [
    *(b"a", b"b", b"ab", b"A", b"foo", b"bar", b"foobar", b"a.o", b"b.o", b"x.py", b"x.pyc", b"build", b"-"),
    *(b"\xc3\xa9", b"caf\xe9", b"a b", b"b ", b"#x", b"!y", b"[a]", b"a*b", b"\\z"),
]
PIECES = [
    *(b"a", b"b", b"ab", b"foo", b"bar", b"x", b".o", b".py", b"pyc", b"build", b".", b"-", b"\xc3\xa9", b"\xe9"),
    *(b"*", b"*", b"**", b"***", b"?", b"/", b"/", b"/", b"**/", b"/**", b" ", b"\\ ", b"#", b"!"),
    *(b"[ab]", b"[!a]", b"[^b]", b"[a-c]", b"[]a]", b"[-a]", b"[a-]", b"[\xe9]", b"[a/]", b"[a", b"[[:x]"),
    *(b"[[:alpha:]]", b"[[:upper:]]", b"\\a", b"\\*", b"\\\\", b"\\"),
]
LINES = [
    *(b"*.o", b"/build", b"build/", b"foo/*", b"!foo/bar", b"**/foo", b"foo/**", b"*", b"!*/", b"!*.py", b"/*"),
    *(b"!/foo", b"a/**/b", b"*.py[co]", b"foo/**/bar", b"# c", b"", b"\\#x", b"\\!y", b"a/*/b", b"**", b"/**"),
    *(b"**/foo/*", b"foo**/bar", b"foo**bar/*", b"***/a"),
]


@pytest.fixture
def tree(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def seen(tree: Path) -> set[str]:
    return set(Walk(str(tree), Window(0, network=False), Manifest(0)).run(watch_hidden=False).paths())


def seen_by_git(tree: Path) -> set[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "--quiet", tree], env=environment, check=True)
    listing = ["git", "-C", str(tree), "ls-files", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(listing, env=environment, check=True, capture_output=True)
    return set(filter(None, os.fsdecode(done.stdout).split("\0")))


def a_line(chance: random.Random) -> bytes:
    if chance.random() < 0.25:
        return chance.choice(LINES)
    return b"!" * (chance.random() < 0.2) + b"".join(chance.choices(PIECES, k=chance.randint(1, 5)))


def fill(root: bytes, chance: random.Random) -> None:
    """Random files, and random `.gitignore` files in some folders."""
    folders = [root]
    for _ in range(chance.randint(1, 8)):
        made = os.path.join(chance.choice(folders), chance.choice(NAMES))
        if not os.path.exists(made):
            os.mkdir(made)
            folders.append(made)
    for _ in range(chance.randint(5, 25)):
        path = os.path.join(chance.choice(folders), chance.choice(NAMES))
        if not os.path.lexists(path):
            os.symlink(b".", path) if chance.random() < 0.1 else os.mknod(path)
    for folder in {root, *chance.sample(folders, len(folders) // 4)}:
        lines = [a_line(chance) for _ in range(chance.randint(1, 5))]
        with open(os.path.join(folder, b".gitignore"), "wb") as file:
            file.write(b"\xef\xbb\xbf" * (chance.random() < 0.05))
            file.write(chance.choice([b"\n", b"\r\n"]).join(lines) + chance.choice([b"", b"\n"]))


@pytest.mark.proves("track:snapshot:checksum")
def test_random_gitignore_files_leave_out_what_git_would(tmp_path: Path) -> None:
    chance = random.Random(3)
    tree = tmp_path / "tree"
    for number in range(FOLDERS):
        tree.mkdir()
        fill(os.fsencode(tree), chance)
        assert seen(tree) == seen_by_git(tree), f"folder {number}"
        shutil.rmtree(tree)


@pytest.mark.proves("track:snapshot:checksum", "track:change:checksum")
def test_what_gitignore_files_name_is_not_told(tree: Folder) -> None:
    tree.write(".gitignore", "*.log\n/out/\n!keep.log\nnode_modules\n")
    tree.write("src/.gitignore", "generated*\n!important.log\n")
    tree.take()
    for name in ("x.log", "keep.log", "out/x", "src/out/x", "src/generated.ts", "generated.ts", "src/important.log"):
        tree.write(name)
    tree.write("src/node_modules/left-pad/index.js")
    assert set(tree.changed()) == {"keep.log", "src/out/x", "generated.ts", "src/important.log"}


def test_a_folder_without_a_gitignore_is_given_the_usual_one(tree: Folder) -> None:
    tree.take()
    for name in ("node_modules/x/y.js", "src/__pycache__/x.pyc", ".venv/bin/python", ".DS_Store", ".pytest_cache/x"):
        tree.write(name)
    for name in ("dist/app.js", "build/x", "venv.txt", "node_modules.txt", ".env"):
        tree.write(name)
    assert set(tree.changed()) == {"dist/app.js", "build/x", "venv.txt", "node_modules.txt", ".env"}


def test_a_gitignore_of_ones_own_replaces_the_usual_one(tree: Folder) -> None:
    tree.write(".gitignore", "*.log\n")
    tree.take()
    tree.write("node_modules/x.js")
    assert set(tree.changed()) == {"node_modules/x.js"}


def test_repositories_inside_are_looked_into_but_not_what_git_keeps_of_them(tree: Folder) -> None:
    tree.write(".gitignore", "!.git\n!.deedlog\n")
    subprocess.run(["git", "init", "--quiet", tree.at("inside")], check=True)
    tree.write("linked/.git", "gitdir: elsewhere\n")
    tree.take()
    tree.write("inside/.git/description", "changed\n")
    tree.write("linked/.git", "gitdir: somewhere else\n")
    tree.write(".deedlog/logs/errors.log")
    tree.write("inside/new.txt")
    assert set(tree.changed()) == {"inside/new.txt"}


def test_a_linked_gitignore_counts_for_nothing_as_with_git(tree: Folder) -> None:
    tree.write("rules", "*.log\n")
    os.symlink("rules", tree.at(".gitignore"))
    tree.write("src/.gitignore/x", "a folder of that name\n")
    tree.take()
    tree.write("x.log")
    tree.write("src/x.log")
    assert set(tree.changed()) == {"x.log", "src/x.log"}


def test_what_is_ignored_during_a_task_was_not_deleted(tree: Folder) -> None:
    for name in ("same.log", "edited.log", "removed.log", "logs/same"):
        tree.write(name)
    tree.take()
    tree.write(".gitignore", "*.log\nlogs/\n")
    tree.write("edited.log", "edited\n")
    tree.remove("removed.log")
    assert tree.changed() == {".gitignore": "added", "edited.log": "modified", "removed.log": "deleted"}
    tree.write("edited.log", "content\n")
    assert tree.changed() == {".gitignore": "added", "removed.log": "deleted"}


def test_what_was_deleted_and_came_back_ignored_was_not_deleted(tree: Folder) -> None:
    tree.write("x.log")
    tree.take()
    tree.remove("x.log")
    tree.take()
    tree.write(".gitignore", "*.log\n")
    tree.write("x.log")
    tree.take()
    assert statuses(tree.compare()) == {".gitignore": "added"}
    assert tree.compare().touched == [["x.log"], [".gitignore"]]


def test_new_rules_do_not_hide_that_a_folder_went_behind_a_link(tree: Folder, tmp_path: Path) -> None:
    tree.write("src/a.txt")
    tree.take()
    tree.move("src", "../elsewhere")
    os.symlink(tmp_path / "elsewhere", tree.at("src"))
    tree.write(".gitignore", "*.log\n")
    assert tree.changed() == {".gitignore": "added", "src": "added", "src/a.txt": "deleted"}


def test_what_is_ignored_before_and_after_is_not_told_though_an_earlier_snapshot_has_it(tree: Folder) -> None:
    tree.write("x.log")
    tree.take()
    tree.write(".gitignore", "*.log\n")
    tree.take()
    tree.write("x.log", "edited\n")
    tree.take()
    found = tree.engine.compare(str(tree.path), ["s-1", "s-2"])
    assert statuses(found) == {}
    assert statuses(tree.compare()) == {".gitignore": "added", "x.log": "modified"}
    tree.remove("x.log")
    tree.take()
    assert statuses(tree.engine.compare(str(tree.path), ["s-1", "s-3"])) == {}


def test_what_was_ignored_before_is_new_only_if_it_was_written_since(tree: Folder, tmp_path: Path) -> None:
    tree.write(".gitignore", "*.log\n/out/\n")
    for name in ("old.log", "edited.log", "out/old", "out/deep/old"):
        tree.write(name)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/old").write_text("older than the task\n")
    while time.time_ns() < os.stat(tmp_path / "elsewhere/old").st_ctime_ns + 2 * TICK:
        continue  # until the clock of any file system has gone on
    tree.take()
    tree.write(".gitignore", "# nothing\n")
    tree.write("edited.log", "edited\n")
    tree.write("new.log")
    os.rename(tmp_path / "elsewhere", tree.at("moved"))
    found = tree.end()
    assert statuses(found) == {
        ".gitignore": "modified",
        "edited.log": "added",
        "moved/old": "added",
        "new.log": "added",
    }
    assert {change.path for change in found.changes if change.note} == {"edited.log", "new.log"}
