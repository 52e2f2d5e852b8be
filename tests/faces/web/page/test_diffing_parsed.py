from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deedlog.core.patch import about, paths_of, pieces
from deedlog.faces.web.page.diffing.parsed import ADDED, REMOVED, FilePatch, parse, text_of
from tests.repository import git, repository


def difference(folder: Path, *options: str) -> bytes:
    """Everything that differs from the last commit, as the ledger's patches are made."""
    subprocess.run(["git", "-C", str(folder), "add", "--all"], check=True)
    words = [
        "diff",
        "--cached",
        "-M",
        "--binary",
        "--full-index",
        "--no-ext-diff",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    ]
    return subprocess.run(["git", "-C", str(folder), *options, *words, "HEAD"], check=True, capture_output=True).stdout


def committed(folder: Path, files: dict[str, bytes]) -> Path:
    made = repository(folder)
    for name, data in files.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(data)
    git(made, "add", "--all")
    git(made, "commit", "--quiet", "--allow-empty", "--message=files")
    return made


def again(files: list[FilePatch]) -> bytes:
    return "".join(map(text_of, files)).encode("utf-8", "surrogateescape")


def sides(file: FilePatch) -> tuple[dict[int, str], dict[int, str]]:
    """The lines of a file before and after, by their numbers, as far as the patch shows them."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    return (
        {line.old: line.text for line in lines if line.old is not None},
        {line.new: line.text for line in lines if line.new is not None},
    )


def test_a_rename_a_mode_and_an_edit_are_told_apart(tmp_path: Path) -> None:
    folder = committed(
        tmp_path / "r",
        {"old.py": b"".join(b"%d\n" % n for n in range(20)), "run.sh": b"#!/bin/sh\n", "a b.txt": b"one\ntwo\nthree\n"},
    )
    (folder / "old.py").rename(folder / "new.py")
    (folder / "run.sh").chmod(0o755)
    (folder / "a b.txt").write_bytes(b"one\nTWO\nthree\n")
    patch = difference(folder)
    found = {file.new_path: file for file in parse(patch)}
    assert again(parse(patch)) == patch
    assert (found["new.py"].status, found["new.py"].old_path, found["new.py"].lines) == ("renamed", "old.py", 0)
    assert found["run.sh"].mode_told == "file → executable"
    edited = found["a b.txt"]
    assert [(line.sign, line.text, line.old, line.new) for line in edited.hunks[0].lines] == [
        (" ", "one", 1, 1),
        ("-", "two", 2, None),
        ("+", "TWO", None, 2),
        (" ", "three", 3, 3),
    ]


def test_bytes_that_are_no_text_binaries_and_missing_ends_come_back_exactly(tmp_path: Path) -> None:
    folder = committed(
        tmp_path / "r", {"latin.txt": b"caf\xe9\nb", "crlf.txt": b"a\r\nb\r\n", "picture": bytes(range(256))}
    )
    (folder / "latin.txt").write_bytes(b"caf\xe9s\nb\n")
    (folder / "crlf.txt").write_bytes(b"a\r\nB\n")
    (folder / "picture").write_bytes(bytes(range(255)) * 3)
    (folder / "empty").touch()
    patch = difference(folder)
    found = {file.new_path: file for file in parse(patch)}
    assert again(parse(patch)) == patch
    assert found["picture"].binary
    assert not found["picture"].hunks
    assert (found["empty"].status, found["empty"].lines) == ("added", 0)
    assert [line.ended for line in found["latin.txt"].hunks[0].lines] == [True, False, True, True]
    assert [line.text for line in found["crlf.txt"].hunks[0].lines] == ["a\r", "b\r", "B"]


@pytest.mark.parametrize(
    "name", ["plain", "with space", "für dich", 'quo"te', "tab\there", "new\nline", "back\\slash", "b/a b/a"]
)
def test_a_path_reads_as_the_list_of_changes_has_it(tmp_path: Path, name: str) -> None:
    folder = committed(tmp_path / "r", {"beside": b"1\n"})
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("x\n")
    (folder / "beside").write_text("2\n")
    patch = difference(folder)
    assert {paths_of(piece)[1] for piece in pieces(patch)} == {name, "beside"}
    assert again(parse(about(patch, name))) == about(patch, name)
    assert [file.new_path for file in parse(about(patch, name))] == [name]


def test_a_path_that_is_no_text_is_quoted_as_in_the_list(tmp_path: Path) -> None:
    folder = committed(tmp_path / "r", {})
    with open(os.path.join(os.fsencode(folder), b"caf\xe9"), "wb") as file:
        file.write(b"x\n")
    assert [file.new_path for file in parse(difference(folder))] == ['"caf\\351"']


def test_a_file_that_became_a_link_is_two_pieces_about_one_path(tmp_path: Path) -> None:
    folder = committed(tmp_path / "r", {"it": b"text\n"})
    (folder / "it").unlink()
    (folder / "it").symlink_to("elsewhere")
    found = parse(difference(folder))
    assert [(file.new_path, file.status, file.mode_told) for file in found] == [
        ("it", "deleted", ""),
        ("it", "added", "symbolic link"),
    ]


def test_lines_that_look_like_a_patch_are_lines(tmp_path: Path) -> None:
    folder = committed(tmp_path / "r", {"p": b"@@ -1 +1 @@\ndiff --git a/x b/x\n-- a\n++ b\n\\ No newline\n"})
    (folder / "p").write_bytes(b"@@ -1 +1 @@\ndiff --git a/x b/y\n--- a\n+++ b\n\\ No newline at end of file\n")
    patch = difference(folder)
    (file,) = parse(patch)
    assert text_of(file).encode() == patch
    assert [line.text for line in file.hunks[0].lines if line.sign == REMOVED][:1] == ["diff --git a/x b/x"]
    assert [line.text for line in file.hunks[0].lines if line.sign == ADDED][-1:] == ["\\ No newline at end of file"]


def test_empty_lines_that_git_writes_bare_are_lines_too(tmp_path: Path) -> None:
    folder = committed(tmp_path / "r", {"f": b"a\n\nb\n"})
    (folder / "f").write_bytes(b"A\n\nb\n")
    patch = difference(folder, "-c", "diff.suppressBlankEmpty=true")
    (file,) = parse(patch)
    assert text_of(file).encode() == patch
    assert sides(file) == ({1: "a", 2: "", 3: "b"}, {1: "A", 2: "", 3: "b"})


LINES = st.lists(st.sampled_from(["", "a", "b", "\tc", "- d", "+ e", "é\r", " \u202e", "@@", "f" * 300]), max_size=12)


@pytest.mark.proves("page:diff:exact")
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(before=LINES, after=LINES, ended=st.tuples(st.booleans(), st.booleans()))
def test_any_edit_comes_back_exactly_and_shows_both_sides(
    before: list[str], after: list[str], ended: tuple[bool, bool]
) -> None:
    texts = [
        ("\n".join(lines) + ("\n" if end and lines else "")).encode()
        for lines, end in zip((before, after), ended, strict=True)
    ]
    with TemporaryDirectory() as scratch:
        folder = committed(Path(scratch) / "r", {"f": texts[0]})
        (folder / "f").write_bytes(texts[1])
        patch = difference(folder)
    assert again(parse(patch)) == patch
    for file in parse(patch):
        for shown, text in zip(sides(file), texts, strict=True):
            lines = text.decode().split("\n")
            assert all(lines[number - 1] == line for number, line in shown.items())
