"""What a folder without git is reported to have changed."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path

import pytest

from deedlog.core.change import Change
from deedlog.files.checksum import ChecksumSnapshots
from tests.engines.folder import Folder, statuses

ADDED, MODIFIED, DELETED = "added", "modified", "deleted"


@pytest.fixture(params=["first contact", "known"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """A folder with three files, met for the first time or known from an earlier task."""
    made = Folder(tmp_path, known=request.param == "known")
    for name in ("a.txt", "b.txt", "src/c.txt"):
        made.write(name, f"this is {name}\n")
    return made


def everything(folder: Path) -> list[tuple[str, bytes, os.stat_result]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(path), path.read_bytes(), path.lstat()) for path in files]


@pytest.mark.proves("track:snapshot:checksum")
def test_a_snapshot_is_named_after_its_moment(tree: Folder) -> None:
    before = time.time_ns() // 1000
    taken = tree.take()
    assert before <= taken.at <= time.time_ns() // 1000
    assert (taken.id, taken.type, taken.base) == ("s-0", "checksum", f"checksum-{taken.at // 1000}")
    assert (taken.tree, taken.branch, taken.warnings) == (str(tree.path), "", [])


@pytest.mark.proves("track:change:checksum")
def test_what_was_added_modified_and_deleted_is_told(tree: Folder) -> None:
    tree.take()
    tree.write("a.txt", "something else, and longer\n")
    tree.remove("b.txt")
    tree.write("src/deep/new.txt")
    found = tree.end()
    assert statuses(found) == {"a.txt": MODIFIED, "b.txt": DELETED, "src/deep/new.txt": ADDED}
    assert {change.origin for change in found.changes} == {"task"}
    assert (found.patch, found.warnings) == (b"", [])
    assert found.touched == [["a.txt", "b.txt", "src/deep/new.txt"]]


def test_nothing_is_told_where_nothing_changed(tree: Folder) -> None:
    tree.take()
    assert tree.changed() == {}


@pytest.mark.proves("track:change:checksum")
def test_what_is_the_same_at_the_end_is_not_told(tree: Folder) -> None:
    tree.take()
    tree.touch("a.txt")
    tree.write("b.txt", "this is b.txt\n")
    content = (tree.path / "src/c.txt").read_bytes()
    tree.write("src/c.txt", "for a while\n")
    tree.write("src/c.txt", content)
    tree.write("passing.txt")
    tree.remove("passing.txt")
    assert tree.changed() == {}


@pytest.mark.proves("track:change:checksum")
def test_an_edit_of_the_same_size_is_seen_though_the_time_was_put_back(tree: Folder) -> None:
    tree.take()
    facts = os.stat(tree.at("a.txt"))
    tree.write("a.txt", "THIS IS a.txt\n")
    os.utime(tree.at("a.txt"), ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert tree.changed() == {"a.txt": MODIFIED}


def test_a_snapshot_changes_nothing_in_the_folder(tree: Folder) -> None:
    def key(facts: os.stat_result) -> tuple[int, ...]:
        return facts.st_ino, facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns

    before = [(path, content, key(facts)) for path, content, facts in everything(tree.path)]
    tree.take()
    tree.end()
    assert [(path, content, key(facts)) for path, content, facts in everything(tree.path)] == before


def test_no_content_is_kept(tree: Folder) -> None:
    tree.write(".env", "PASSWORD=do-not-keep-me\n")
    tree.take()
    tree.write(".env", "PASSWORD=nor-me\n")
    assert tree.changed() == {".env": MODIFIED}
    kept = everything(tree.trees)
    assert kept
    assert not [path for path, content, _ in kept if re.search(b"keep-me|nor-me", content)]


def test_a_link_is_compared_by_where_it_points_and_never_followed(tree: Folder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/x.txt").write_text("not ours")
    os.symlink("a.txt", tree.at("retargeted"))
    os.symlink("a.txt", tree.at("same"))
    os.symlink(tmp_path / "elsewhere", tree.at("outside"))
    os.symlink("nowhere", tree.at("dangling"))
    tree.take()
    (tmp_path / "elsewhere/x.txt").write_text("changed")
    for name in ("retargeted", "same", "dangling"):
        tree.remove(name)
    os.symlink("b.txt", tree.at("retargeted"))
    os.symlink("a.txt", tree.at("same"))
    assert tree.changed() == {"dangling": DELETED, "retargeted": MODIFIED}


def test_a_file_replaced_by_a_link_is_modified(tree: Folder) -> None:
    tree.take()
    tree.move("a.txt", "original.txt")
    os.symlink("original.txt", tree.at("a.txt"))
    assert tree.changed() == {"a.txt": MODIFIED, "original.txt": ADDED}


def test_of_the_mode_only_the_executable_bit_counts(tree: Folder) -> None:
    tree.take()
    os.chmod(tree.at("a.txt"), 0o755)
    os.chmod(tree.at("b.txt"), 0o600)
    assert tree.changed() == {"a.txt": MODIFIED}


def test_pipes_and_sockets_are_passed_by_without_opening_them(tree: Folder) -> None:
    os.mkfifo(tree.at("pipe"))
    tree.take()
    tree.remove("a.txt")
    os.mkfifo(tree.at("a.txt"))
    with socket.socket(socket.AF_UNIX) as listening:
        os.symlink(tree.path, tree.path.parent / "s")  # the name of a socket must be short
        listening.bind(str(tree.path.parent / "s" / "socket"))
        assert tree.changed() == {"a.txt": DELETED}


def test_a_file_replaced_by_a_folder_and_the_reverse(tree: Folder) -> None:
    tree.take()
    tree.remove("a.txt")
    tree.write("a.txt/index.txt", "new\n")
    tree.remove("src/c.txt")
    os.rmdir(tree.at("src"))
    tree.write("src", "a file now\n")
    assert tree.changed() == {"a.txt": DELETED, "a.txt/index.txt": ADDED, "src": ADDED, "src/c.txt": DELETED}


def test_odd_names_are_told_as_they_are(tree: Folder) -> None:
    odd = ["new\nline", "tab\there", 'quo"te', "back\\slash", " spaces ", "-dash", "é中", "*", "[a]", "~", "\x7f"]
    not_utf8 = os.fsdecode(b"caf\xe9/\xff\xfe.txt")
    for name in [*odd, not_utf8]:
        tree.write(f"here/{name}")
    tree.take()
    for name in [*odd, not_utf8]:
        tree.write(f"here/{name}", "changed\n")
    assert tree.changed() == {f"here/{name}": MODIFIED for name in [*odd, not_utf8]}


def test_empty_folders_do_not_count(tree: Folder) -> None:
    tree.take()
    os.mkdir(tree.at("empty"))
    assert tree.changed() == {}


def test_a_large_file_is_read_piece_by_piece(tree: Folder) -> None:
    size = 3 << 20
    for name in ("large", "touched"):
        tree.write(name, b"\0" * size)
    tree.take()
    tree.touch("touched")
    with open(tree.at("large"), "r+b") as file:
        file.seek(size - 1)
        file.write(b"\1")
    assert tree.changed() == {"large": MODIFIED}


def renamed(changes: list[Change]) -> set[tuple[str, str]]:
    return {(change.renamed_from, change.path) for change in changes if change.renamed_from}


def test_a_rename_is_two_changes_that_name_each_other(tree: Folder) -> None:
    tree.take()
    tree.move("a.txt", "src/moved.txt")
    old, new = tree.end().changes
    assert (old.path, old.status, old.renamed_to, old.renamed_from) == ("a.txt", DELETED, "src/moved.txt", "")
    assert (new.path, new.status, new.renamed_to, new.renamed_from) == ("src/moved.txt", ADDED, "", "a.txt")


def test_a_rename_in_letters_case_only_is_one(tree: Folder) -> None:
    tree.take()
    tree.move("a.txt", "A.txt")
    assert renamed(tree.end().changes) == {("a.txt", "A.txt")}


def test_a_moved_folder_is_a_rename_of_each_file(tree: Folder) -> None:
    tree.write("src/d.txt", "this is d\n")
    tree.take()
    tree.move("src", "lib")
    assert renamed(tree.end().changes) == {("src/c.txt", "lib/c.txt"), ("src/d.txt", "lib/d.txt")}


def test_a_copy_whose_original_went_is_a_rename(tree: Folder) -> None:
    tree.take()
    tree.write("copy.txt", "this is a.txt\n")
    tree.remove("a.txt")
    assert renamed(tree.end().changes) == {("a.txt", "copy.txt")}


def test_files_of_one_content_are_told_apart_if_they_were_moved(tree: Folder) -> None:
    for name in ("one", "two", "empty"):
        tree.write(f"twin/{name}", "" if name == "empty" else "the same\n")
    tree.take()
    for name in ("one", "two", "empty"):
        tree.move(f"twin/{name}", f"moved/{name}")
    assert renamed(tree.end().changes) == {(f"twin/{name}", f"moved/{name}") for name in ("one", "two", "empty")}


def test_what_could_be_the_rename_of_several_is_none(tree: Folder) -> None:
    for name in ("one", "two"):
        tree.write(name, "the same\n")
    tree.take()
    for name in ("three", "four"):
        tree.write(name, "the same\n")
    for name in ("one", "two"):
        tree.remove(name)
    found = tree.end()
    assert statuses(found) == {"four": ADDED, "one": DELETED, "three": ADDED, "two": DELETED}
    assert renamed(found.changes) == set()


def test_a_moved_and_edited_file_is_no_rename(tree: Folder) -> None:
    tree.take()
    tree.move("a.txt", "moved.txt")
    tree.write("moved.txt", "THIS IS a.txt\n")
    assert renamed(tree.end().changes) == set()


@pytest.mark.proves("track:change:checksum")
def test_each_interval_between_snapshots_has_what_was_touched_in_it(tree: Folder) -> None:
    tree.take()
    tree.write("a.txt", "for a while\n")
    tree.take()
    tree.write("a.txt", "this is a.txt\n")
    tree.write("b.txt", "for good\n")
    tree.take()
    tree.move("src/c.txt", "src/d.txt")
    found = tree.end()
    assert found.touched == [["a.txt"], ["a.txt", "b.txt"], ["src/c.txt", "src/d.txt"]]
    assert statuses(found) == {"b.txt": MODIFIED, "src/c.txt": DELETED, "src/d.txt": ADDED}
    assert renamed(found.changes) == {("src/c.txt", "src/d.txt")}


def test_a_store_inside_the_folder_is_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/store").mkdir()
    engine = ChecksumSnapshots(str(tmp_path / "tools/store/trees"))
    engine.take("s-1", str(tmp_path))
    (tmp_path / "tools/store/ledger.db").write_text("grows")
    (tmp_path / "tools/other").write_text("new")
    engine.take("s-2", str(tmp_path))
    assert statuses(engine.compare(str(tmp_path), ["s-1", "s-2"])) == {"tools/other": ADDED}


def test_the_folder_may_be_named_through_a_link(tree: Folder, tmp_path: Path) -> None:
    os.symlink(tree.path, tmp_path / "link")
    tree.take()
    tree.write("new.txt")
    tree.engine.take("s-2", str(tmp_path / "link"))
    assert statuses(tree.engine.compare(str(tmp_path / "link"), ["s-0", "s-2"])) == {"new.txt": ADDED}
