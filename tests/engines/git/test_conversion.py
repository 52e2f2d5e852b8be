"""Files that git stores differently from how they are on disk: the ids `git add` gives, and bounds on what is kept."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deedlog.git import contents
from tests.engines.git.repo import Repo

pytestmark = pytest.mark.proves("track:change:special")

PLAIN = b"hunter of the plain text\n"
ENDS = b"a\r\nb\r\nc\r\n"


def stored(repo: Repo) -> int:
    """Bytes that are kept."""
    return sum(path.stat().st_size for path in Path(repo.engine.store).rglob("objects/**/*") if path.is_file())


def loose(repo: Repo) -> int:
    return sum(len(path.name) == 38 for path in Path(repo.engine.store).rglob("objects/??/*"))


def kept_texts(repo: Repo) -> bytes:
    """Every content in our own object directories."""
    found = b""
    for folder in Path(repo.engine.store).rglob("objects"):
        environment = {**os.environ, "GIT_OBJECT_DIRECTORY": str(folder)}
        command = ["git", "cat-file", "--batch", "--batch-all-objects"]
        found += subprocess.run(command, cwd=repo.path, env=environment, capture_output=True, check=True).stdout
    return found


def evened(repo: Repo, way: str) -> None:
    if way == "setting":
        repo.git("config", "core.autocrlf", "true")
    else:
        repo.write(".gitattributes", "* text=auto\n")
        repo.git("add", ".gitattributes")
        repo.git("commit", "--quiet", "--message=attributes")


WAYS = pytest.mark.parametrize("way", ["setting", "attribute"])


@WAYS
def test_line_ends_git_has_already_are_left_alone(repo: Repo, way: str) -> None:
    repo.commit({"w.txt": ENDS})
    evened(repo, way)
    with repo.task() as task:
        repo.write("w.txt", ENDS + b"d\r\n")
    assert task.own == {"w.txt": "M"}
    assert (task["w.txt"].added, task["w.txt"].deleted) == (1, 0)
    assert b"+d\r\n" in task.patch


@WAYS
def test_a_file_with_such_line_ends_that_was_dirty_before_and_is_only_committed(repo: Repo, way: str) -> None:
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit({"f.ts": "1\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit({"w.txt": ENDS})
    evened(repo, way)
    repo.write("w.txt", ENDS + b"d\r\n")
    with repo.task() as task:
        repo.git("commit", "--quiet", "--all", "--message=theirs")
        repo.git("merge", "--quiet", "--no-edit", "side")
    assert task.own == {}
    assert task.arrived == {"f.ts": "A"}


def test_such_line_ends_that_came_after_the_index_was_copied(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit({"f.ts": "1\n"})
    repo.git("switch", "--quiet", "main")
    repo.seen()
    repo.write("w.txt", ENDS)
    repo.git("-c", "core.autocrlf=false", "add", "w.txt")
    repo.git("-c", "core.autocrlf=false", "commit", "--quiet", "--message=w")
    with repo.task() as task:
        repo.git("merge", "--quiet", "--no-edit", "side")
    assert task.own == {}
    assert task.arrived == {"f.ts": "A"}


def test_line_ends_that_git_was_told_to_even_out_are_evened_out(repo: Repo) -> None:
    repo.commit({"w.txt": ENDS})
    repo.write(".gitattributes", "* text\n")
    with repo.task() as task:
        repo.write("w.txt", ENDS + b"d\r\n")
        repo.write("n.txt", ENDS)
        repo.git("add", "--all")
    assert task.own == {"w.txt": "M", "n.txt": "A"}
    assert b"+a\n+b\n+c\n" in task.patch
    assert loose(repo) == 0


def test_a_large_file_is_not_kept_where_line_ends_are_evened_out(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "LARGE", 1000)
    repo.commit({".gitattributes": "* text=auto\n"})
    repo.write("binary", os.urandom(3000) + b"\0\r\n")
    repo.write("text", b"line\r\n" * 1000)
    with repo.task() as task:
        assert stored(repo) < 3000
        repo.write("text", b"line\n" * 1000)
    assert task.net == {}


def test_line_ends_of_a_large_file_are_found_across_the_parts_it_is_read_in(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "LARGE", 4)
    monkeypatch.setattr(contents, "CHUNK", 5)
    repo.git("config", "core.autocrlf", "true")
    repo.write("text", "four\r\n")
    with repo.task() as task:
        repo.write("text", "four\n")
    assert task.net == {}


def shouting(repo: Repo) -> None:
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.commit({".gitattributes": "*.up filter=up\n"})


@pytest.mark.parametrize(("limit", "value"), [("LARGE", 10), ("MOST_KEPT", 50), ("MOST_LOOSE", 2)])
def test_of_filtered_files_no_more_is_kept_than_of_others(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(contents, limit, value)
    shouting(repo)
    for number in range(6):
        repo.write(f"{number}.up", f"{number} has 20 characters\n")
    with repo.task() as task:
        assert loose(repo) <= 2
        repo.write("0.up", "0 HAS 20 characters\n")
        repo.write("5.up", "other\n")
    assert task.net == {"5.up": "M"}


def test_files_that_no_filter_is_for_are_not_kept_one_by_one(repo: Repo) -> None:
    shouting(repo)
    for number in range(20):
        repo.write(f"{number}.ts", f"{number}\n")
    with repo.task() as task:
        assert loose(repo) == 0
        repo.write("3.ts", "three\n")
    assert task.net == {"3.ts": "M"}
    assert b"-3\n+three\n" in task.patch


def test_a_filtered_secret_is_compared_and_not_kept(repo: Repo) -> None:
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.commit({".gitattributes": "* filter=up\n"})
    repo.write(".env", "password=one\n")
    with repo.task() as task:
        repo.write(".env", "password=two\n")
        assert b"PASSWORD" not in kept_texts(repo)
    assert task.net == {".env": "M"}


def test_a_file_that_is_not_in_the_encoding_it_should_be_in(repo: Repo) -> None:
    repo.commit({".gitattributes": "*.txt working-tree-encoding=UTF-16\n"})
    repo.write("before.txt", "no mark\n")
    with repo.task() as task:
        repo.write("n.txt", "no mark either\n")
    assert task.net == {"n.txt": "A"}


@pytest.mark.parametrize("name", ["lfs", "MyLfs", "My.Lfs"])
@pytest.mark.parametrize("tracked", [True, False])
def test_a_filter_that_does_not_run_is_told_and_what_it_should_hide_is_not_kept(
    repo: Repo, name: str, *, tracked: bool
) -> None:
    repo.write(".gitattributes", f"*.bin filter={name}\n")
    repo.commit({"a.bin": "cipher\n"} if tracked else {})
    repo.git("config", f"filter.{name}.clean", "no-such-program %f")
    repo.git("config", f"filter.{name}.required", "true")
    repo.write("before.bin", PLAIN)
    with repo.task() as task:
        repo.write("a.bin", PLAIN)
        repo.append("auth.ts")
        assert PLAIN not in kept_texts(repo)
    assert task.own == {"a.bin": "M" if tracked else "A", "auth.ts": "M"}
    assert any("filter" in text for text in task.warnings)
    assert PLAIN not in task.patch


def test_a_filter_that_failed_once_is_used_again(repo: Repo) -> None:
    broken = repo.path.parent / "broken"
    repo.git("config", "filter.up.clean", f"test ! -e '{broken}' && tr a-z A-Z")
    repo.git("config", "filter.up.required", "true")
    repo.write(".gitattributes", "*.up filter=up\n")
    repo.commit({"a.up": "one\n", "b.up": "two\n"})
    engine = repo.engine.opened()
    repo.write("a.up", "three\n")
    repo.write("n.up", "new\n")
    broken.touch()
    assert engine.take("failed", repo.tree).warnings
    broken.unlink()
    assert engine.take("start", repo.tree).warnings == []
    os.utime(repo.path / "b.up")
    repo.write("a.up", "Three\n")
    repo.write("n.up", "New\n")
    assert engine.take("end", repo.tree).warnings == []
    assert engine.compare(repo.tree, ["start", "end"]).changes == []
