"""Large files, held locks, other owners, no git at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from deedlog.core.errors import DeedlogError, Part
from deedlog.snapshots import TreeSnapshots
from tests.engines.git.repo import KNOWN, Repo

LARGE = 200 * 1024 * 1024
SPECIAL = pytest.mark.proves("track:change:special")


def kept_bytes(folder: str) -> int:
    return sum(
        os.lstat(os.path.join(place, name)).st_blocks * 512 for place, _, names in os.walk(folder) for name in names
    )


def git_that(place: Path, script: str) -> str:
    """A `PATH` whose git runs a script first; `$GIT` in it is the real one."""
    place.mkdir(exist_ok=True)
    program = place / "git"
    program.write_text(f"#!/bin/sh\nGIT='{shutil.which('git')}'\n{script}\n")
    program.chmod(0o755)
    return f"{place}{os.pathsep}{os.environ['PATH']}"


@SPECIAL
def test_a_huge_file_of_before_costs_no_room(repo: Repo) -> None:
    repo.write("huge.bin", b"")
    os.truncate(repo.path / "huge.bin", LARGE)
    with repo.task() as task:
        repo.append("auth.ts")
    assert task.net == {"auth.ts": "M"}
    assert kept_bytes(repo.engine.store) < 1024 * 1024


@SPECIAL
def test_a_huge_file_that_changes_is_reported_without_its_contents(repo: Repo) -> None:
    repo.write("huge.bin", b"")
    os.truncate(repo.path / "huge.bin", LARGE // 8)
    with repo.task() as task:
        repo.append("huge.bin")
        repo.write("new.bin", b"")
        os.truncate(repo.path / "new.bin", LARGE // 8)
    assert task.net == {"huge.bin": "M", "new.bin": "A"}
    assert all(task[name].note for name in task.net)
    assert kept_bytes(repo.engine.store) < 1024 * 1024
    assert len(task.patch) < 4096


@SPECIAL
@KNOWN
@pytest.mark.parametrize("name", [".env", ".env.local", "key.pem", "id_rsa.key"])
def test_a_secret_is_compared_and_its_contents_are_never_kept(repo: Repo, name: str) -> None:
    repo.write(name, "SECRET=before\n")
    with repo.task() as task:
        repo.write(name, "SECRET=during\n")
        repo.write(f"config/{name}", "SECRET=new\n")
    assert task.net == {name: "M", f"config/{name}": "A"}
    assert b"SECRET" not in task.patch
    assert all(task[path].note for path in task.net)


@SPECIAL
@KNOWN
def test_a_secret_that_git_has_is_withheld_as_well(repo: Repo) -> None:
    repo.commit({".env": "SECRET=before\n", "gone.pem": "SECRET=gone\n"})
    with repo.task() as task:
        repo.delete("gone.pem")
        repo.commit({".env": "SECRET=during\n", "new.key": "SECRET=new\n"})
    assert task.net == {".env": "M", "gone.pem": "D", "new.key": "A"}
    assert b"SECRET" not in task.patch
    assert all(task[path].note for path in task.net)


@pytest.mark.proves("track:snapshot:untouched")
def test_a_lock_held_by_another_process_is_neither_waited_for_nor_removed(repo: Repo) -> None:
    repo.write("before.ts")
    (repo.path / ".git/index.lock").touch()
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}
    assert (repo.path / ".git/index.lock").exists()


@SPECIAL
def test_a_repository_of_another_owner(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = git_that(tmp_path / "bin", 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$GIT" "$@"')
    monkeypatch.setenv("PATH", foreign)
    repo.git("status", check=False)
    repo.engine.take("start", repo.tree)
    (repo.path / "auth.ts").write_text("other\n")
    repo.engine.take("end", repo.tree)
    compared = repo.engine.compare(repo.tree, ["start", "end"])
    assert [(one.path, one.status) for one in compared.changes] == [("auth.ts", "modified")]


@SPECIAL
def test_without_git_a_repository_is_a_folder_and_the_answer_says_so(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    snapshots = TreeSnapshots(repo.tree, repo.engine.store)
    start = snapshots.take("start")
    repo.append("auth.ts")
    end = snapshots.take("end", repo.tree)
    compared = snapshots.compare(repo.tree, ["start", "end"])
    assert start.type == "checksum"
    assert start.warnings
    assert end.type == "checksum"
    assert [(one.path, one.status) for one in compared.changes] == [("auth.ts", "modified")]


@SPECIAL
def test_git_that_is_gone_at_the_end_is_an_error_and_never_an_empty_result(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TreeSnapshots(repo.tree, repo.engine.store).take("start")
    repo.append("auth.ts")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(DeedlogError) as refused:
        TreeSnapshots(repo.tree, repo.engine.store).take("end", repo.tree)
    assert refused.value.part is Part.GIT
    monkeypatch.setenv("PATH", path)
    snapshots = TreeSnapshots(repo.tree, repo.engine.store)
    snapshots.take("end", repo.tree)
    assert [one.path for one in snapshots.compare(repo.tree, ["start", "end"]).changes] == ["auth.ts"]


@SPECIAL
@KNOWN
@pytest.mark.parametrize("script", ["exit 1", "kill -9 $$", "echo a; exit 128"])
def test_git_that_fails_is_an_error_and_never_an_empty_result(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    TreeSnapshots(repo.tree, repo.engine.store).take("start")
    repo.append("auth.ts")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", git_that(tmp_path / "bin", script))
    with pytest.raises(DeedlogError) as refused:
        TreeSnapshots(repo.tree, repo.engine.store).take("end", repo.tree)
    assert refused.value.part is Part.GIT
    monkeypatch.setenv("PATH", path)
    snapshots = TreeSnapshots(repo.tree, repo.engine.store)
    snapshots.take("end", repo.tree)
    assert [one.path for one in snapshots.compare(repo.tree, ["start", "end"]).changes] == ["auth.ts"]


@pytest.mark.proves("track:snapshot:checksum")
def test_a_folder_that_is_no_repository_gets_a_checksum_snapshot(repo: Repo) -> None:
    plain = repo.path.parent / "plain"
    plain.mkdir()
    (plain / "a.ts").write_text("1\n")
    snapshots = TreeSnapshots(str(plain), repo.engine.store)
    assert snapshots.take("start").type == "checksum"
    (plain / "a.ts").write_text("2\n")
    snapshots.take("end")
    assert [one.path for one in snapshots.compare(str(plain), ["start", "end"]).changes] == ["a.ts"]
