"""Committed, uncommitted and untracked work; what was already dirty when the task began."""

from __future__ import annotations

import pytest

from tests.engines.git.repo import Repo, lines

pytestmark = pytest.mark.proves("track:change:committed-and-not")


def test_two_commits_and_an_edit_are_reported_together(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        repo.commit({"src/new.ts": "new\n"})
        repo.append("database.ts")
    assert task.net == task.own == {"auth.ts": "M", "src/new.ts": "A", "database.ts": "M"}


def test_a_file_that_was_committed_and_edited_again_is_reported_once(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login"), "new.ts": "1\n"})
        repo.append("auth.ts")
        repo.append("new.ts")
    assert task.own == {"auth.ts": "M", "new.ts": "A"}


def test_a_task_that_changes_nothing_reports_nothing(repo: Repo) -> None:
    with repo.task() as task:
        pass
    assert task.compared.changes == []
    assert task.compared.touched == [[]]
    assert task.patch == b""


@pytest.mark.proves("track:change:untracked")
def test_a_new_file_that_was_never_added_is_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.write("src/auth/config.ts")
    assert task.net == {"src/auth/config.ts": "A"}


@pytest.mark.proves("track:change:dirty-before")
def test_a_tracked_file_dirty_before_the_start_is_not_reported(repo: Repo) -> None:
    repo.append("auth.ts")
    with repo.task() as task:
        repo.append("database.ts")
    assert task.net == {"database.ts": "M"}


@pytest.mark.proves("track:change:dirty-before")
def test_a_file_staged_before_the_start_is_not_reported(repo: Repo) -> None:
    repo.write("new.ts")
    repo.git("add", "new.ts")
    with repo.task() as task:
        pass
    assert task.net == {}


@pytest.mark.proves("track:change:dirty-before")
def test_an_untracked_file_of_before_is_not_reported_when_the_task_commits_everything(repo: Repo) -> None:
    repo.write("notes.txt")
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
    assert task.net == {"auth.ts": "M"}


def test_a_file_dirty_before_and_edited_again_is_reported(repo: Repo) -> None:
    repo.append("auth.ts", "before\n")
    with repo.task() as task:
        repo.append("auth.ts", "during\n")
    assert task.net == {"auth.ts": "M"}
    assert (task["auth.ts"].added, task["auth.ts"].deleted) == (1, 0)
    assert b"+during" in task.patch
    assert b"+before" not in task.patch


def test_an_untracked_file_of_before_is_reported_when_the_task_edits_it(repo: Repo) -> None:
    repo.write("notes.txt")
    with repo.task() as task:
        repo.append("notes.txt")
    assert task.net == {"notes.txt": "M"}


def test_an_untracked_file_of_before_is_reported_when_the_task_deletes_it(repo: Repo) -> None:
    repo.write("notes.txt", "of a person\n")
    with repo.task() as task:
        repo.delete("notes.txt")
    assert task.net == {"notes.txt": "D"}
    assert b"-of a person" in task.patch


def test_throwing_a_persons_edit_away_is_reported(repo: Repo) -> None:
    repo.append("auth.ts", "of a person\n")
    with repo.task() as task:
        repo.git("checkout", "--", "auth.ts")
    assert task.net == task.own == {"auth.ts": "M"}
    assert b"-of a person" in task.patch


def test_a_file_deleted_before_the_start_is_reported_when_the_task_brings_it_back(repo: Repo) -> None:
    repo.delete("auth.ts")
    with repo.task() as task:
        repo.git("checkout", "--", "auth.ts")
    assert task.net == {"auth.ts": "A"}


def test_a_folder_moved_in_from_elsewhere_is_new_although_its_files_are_old(repo: Repo) -> None:
    elsewhere = repo.beside("elsewhere")
    elsewhere.write("made/one.ts")
    with repo.task() as task:
        (elsewhere.path / "made").rename(repo.path / "made")
    assert task.net == {"made/one.ts": "A"}
