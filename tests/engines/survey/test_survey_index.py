"""The index as git writes it, in every form: what is read is what `git ls-files` lists."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deedlog import project
from deedlog.survey.index import tracked

NAMES = ["a.txt", "src/app/main.py", "src/app/util.py", "src/日本.py", "x/" + "y" * 200 + "/z", "déjà vu.md"]


def git(folder: Path, *words: str) -> bytes:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True).stdout


def listed(folder: Path) -> list[bytes]:
    return sorted(set(git(folder, "ls-files", "-z").split(b"\0")) - {b""})


def read(folder: Path) -> list[bytes]:
    git_dir = project.git_directory(str(folder))
    assert git_dir
    return sorted(set(tracked(git_dir, project.common_directory(git_dir))))


def filled(folder: Path) -> Path:
    for name in (*NAMES, *(f"many/{'long' * (i % 9)}{i}.txt" for i in range(100))):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    git(folder, "add", "--all")
    return folder


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_every_version_and_both_lengths_of_hashes_are_read(tmp_path: Path, version: str, kind: str) -> None:
    subprocess.run(["git", "init", "--quiet", f"--object-format={kind}", str(tmp_path)], check=True)
    filled(tmp_path)
    git(tmp_path, "update-index", "--skip-worktree", "a.txt")  # which needs more flags than most entries have
    git(tmp_path, "update-index", "--index-version", version)
    assert len(read(tmp_path)) == 106
    assert read(tmp_path) == listed(tmp_path)


def test_a_name_longer_than_an_entry_can_tell_is_read(repo: Path) -> None:
    name = "/".join(["d" * 250] * 20)
    blob = git(repo, "hash-object", "-w", "README.md").decode().strip()
    git(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    git(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},z")
    assert read(repo) == [b"README.md", name.encode(), b"z"]


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_split_index_is_read_with_what_it_adds_changes_and_drops(repo: Path, version: str) -> None:
    filled(repo)
    git(repo, "update-index", "--index-version", version)
    git(repo, "update-index", "--split-index")
    git(repo, "rm", "--quiet", "--cached", "-r", "src", "many/9.txt")
    (repo / "a.txt").write_text("changed")
    (repo / "new.txt").write_text("new")
    git(repo, "add", "a.txt", "new.txt")
    assert len(list((repo / ".git").glob("sharedindex.*"))) >= 1
    assert read(repo) == listed(repo)
    assert b"new.txt" in read(repo)


def test_a_sparse_index_tells_the_folders_it_leaves_out(repo: Path) -> None:
    filled(repo)
    git(repo, "commit", "--quiet", "--message=all")
    git(repo, "sparse-checkout", "set", "--cone", "--sparse-index", "src/app")
    found = read(repo)
    assert {b"many/", b"src/app/main.py"} <= set(found)
    assert b"many/9.txt" not in found


def test_a_conflict_a_work_tree_and_a_submodule_are_read(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    (tmp_path / "linked/only-here.txt").write_text("x")
    git(tmp_path / "linked", "add", ".")
    assert read(tmp_path / "linked") == [b"README.md", b"only-here.txt"]
    for tree in (repo, tmp_path / "linked"):
        (tree / "README.md").write_text(tree.name)
        git(tree, "commit", "--quiet", "--all", "--message=x")
    subprocess.run(["git", "-C", str(repo), "merge", "linked"], check=False, capture_output=True)
    assert read(repo) == listed(repo) == [b"README.md", b"only-here.txt"]
    git(repo, "reset", "--quiet", "--hard")
    git(repo, "submodule", "--quiet", "add", str(tmp_path / "linked"), "vendor/library")
    assert read(repo / "vendor/library") == [b"README.md", b"only-here.txt"]


@pytest.mark.parametrize(
    "content", [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff", b"something else", b"DIRC\0\0\0\4\0\0\0\5x"]
)
def test_what_is_no_index_holds_nothing(repo: Path, content: bytes) -> None:
    (repo / ".git/index").write_bytes(content)
    assert read(repo) == []
    os.unlink(repo / ".git/index")
    assert read(repo) == []


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_torn_index_holds_what_is_whole(repo: Path, version: str) -> None:
    filled(repo)
    git(repo, "update-index", "--index-version", version)
    whole = (repo / ".git/index").read_bytes()
    every = set(read(repo))
    for length in range(0, len(whole), 97):
        (repo / ".git/index").write_bytes(whole[:length])
        assert len(set(read(repo)) - every) <= 1  # the last one may be cut
