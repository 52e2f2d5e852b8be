"""What was undone within the task, and what got another name."""

from __future__ import annotations

import pytest

from tests.engines.git.repo import Outcome, Repo, lines


def renamed(task: Outcome, old: str, new: str) -> bool:
    return (task[old].renamed_to, task[new].renamed_from) == (new, old)


@pytest.mark.proves("track:change:net")
def test_an_edit_put_back_by_hand_is_not_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("auth.ts", lines("auth.ts"))
    assert task.net == {}


@pytest.mark.proves("track:change:net")
def test_an_edit_committed_and_then_put_back_by_a_commit_is_not_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"auth.ts": "other\n"})
        repo.commit({"auth.ts": lines("auth.ts")})
    assert task.net == task.own == {}


@pytest.mark.proves("track:change:net")
def test_a_file_committed_and_then_deleted_by_a_commit_is_not_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"tmp.ts": "1\n"})
        repo.delete("tmp.ts")
        repo.commit()
    assert task.net == task.own == {}


def test_a_file_whose_deletion_was_committed_and_that_came_back_changed_is_modified(repo: Repo) -> None:
    with repo.task() as task:
        repo.git("rm", "--quiet", "auth.ts")
        repo.git("commit", "--quiet", "--message=gone")
        repo.write("auth.ts", "back\n")
    assert task.net == {"auth.ts": "M"}


@pytest.mark.proves("track:change:net")
def test_a_file_that_stays_is_not_reported_where_only_the_index_leaves_it_out(repo: Repo) -> None:
    with repo.task() as task:
        repo.git("rm", "--quiet", "--cached", "auth.ts")
    assert task.net == {}


@pytest.mark.proves("track:change:net")
def test_an_edit_put_on_the_stash_is_not_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("new.ts")
        repo.git("stash", "push", "--quiet", "--include-untracked")
    assert task.net == {}


def test_a_stash_of_before_that_the_task_applies_is_reported(repo: Repo) -> None:
    repo.append("auth.ts")
    repo.git("stash", "push", "--quiet")
    with repo.task() as task:
        repo.git("stash", "pop", "--quiet")
    assert task.own == {"auth.ts": "M"}


@pytest.mark.proves("track:change:rename")
def test_a_committed_rename_with_an_edit_is_a_deletion_and_an_addition_that_name_each_other(repo: Repo) -> None:
    repo.commit({"old.ts": lines("old", 40)})
    with repo.task() as task:
        repo.git("mv", "old.ts", "new.ts")
        repo.append("new.ts")
        repo.commit()
    assert task.net == {"old.ts": "D", "new.ts": "A"}
    assert renamed(task, "old.ts", "new.ts")


@pytest.mark.proves("track:change:rename")
def test_a_plain_rename_whose_new_name_is_untracked_is_a_rename(repo: Repo) -> None:
    with repo.task() as task:
        repo.rename("auth.ts", "new.ts")
    assert task.net == {"auth.ts": "D", "new.ts": "A"}
    assert renamed(task, "auth.ts", "new.ts")


@pytest.mark.proves("track:change:rename")
def test_a_copy_is_an_addition_also_where_the_user_has_git_look_for_copies(repo: Repo) -> None:
    repo.git("config", "diff.renames", "copies")
    repo.commit({"a.ts": lines("a", 30)})
    with repo.task() as task:
        repo.write("b.ts", lines("a", 30))
        repo.append("a.ts")
        repo.commit()
    assert task.net == {"a.ts": "M", "b.ts": "A"}
    assert task["b.ts"].renamed_from == ""


@pytest.mark.proves("track:change:rename")
def test_a_rename_that_changes_only_the_case_is_a_rename(repo: Repo) -> None:
    repo.commit({"Readme.md": lines("read")})
    with repo.task() as task:
        repo.rename("Readme.md", "README.md")
    assert task.net == {"Readme.md": "D", "README.md": "A"}
    assert renamed(task, "Readme.md", "README.md")


@pytest.mark.proves("track:change:rename")
def test_a_rename_is_found_also_where_the_user_has_git_look_for_none(repo: Repo) -> None:
    repo.git("config", "diff.renames", "false")
    repo.git("config", "status.renames", "false")
    with repo.task() as task:
        repo.rename("auth.ts", "login.ts")
    assert renamed(task, "auth.ts", "login.ts")
