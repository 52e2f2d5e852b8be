"""The task rewrites history, changes branches, and takes in the work of others."""

from __future__ import annotations

import pytest

from tests.engines.git.repo import Repo, lines

HISTORY = pytest.mark.proves("track:change:history")
ARRIVED = pytest.mark.proves("track:change:arrived")


def head(of: str) -> str:
    return of + lines("src/u.ts")


def tail(of: str) -> str:
    return lines("src/u.ts") + of


@HISTORY
def test_amending_the_commit_the_task_began_with(repo: Repo) -> None:
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.append("auth.ts")
        repo.git("commit", "--quiet", "--all", "--amend", "--message=amended")
    assert task.net == task.own == {"auth.ts": "M"}


@HISTORY
@pytest.mark.parametrize("how", ["--soft", "--mixed"])
def test_undoing_an_earlier_commit_but_not_its_files(repo: Repo, how: str) -> None:
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("reset", "--quiet", how, "HEAD~1")
    assert task.net == task.own == {}


@HISTORY
def test_a_hard_reset_deletes_committed_work(repo: Repo) -> None:
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("reset", "--quiet", "--hard", "HEAD~1")
    assert task.net == task.own == {"pre.ts": "D"}


@HISTORY
@ARRIVED
def test_switching_to_a_branch_that_went_another_way(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"feat1.ts": "1\n", "src/u.ts": tail("feature\n")})
    repo.git("switch", "--quiet", "main")
    repo.commit({"main1.ts": "1\n"})
    with repo.task() as task:
        repo.git("switch", "--quiet", "feature")
        repo.append("auth.ts")
    assert task.net == {"feat1.ts": "A", "main1.ts": "D", "src/u.ts": "M", "auth.ts": "M"}
    assert task.own == {"auth.ts": "M"}


@ARRIVED
def test_merging_the_work_of_others(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"feat1.ts": "1\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit({"other1.ts": "1\n", "src/u.ts": tail("other\n")})
    repo.git("switch", "--quiet", "feature")
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        repo.git("merge", "--quiet", "--no-edit", "main")
        repo.append("database.ts")
    assert task.net == {"other1.ts": "A", "src/u.ts": "M", "auth.ts": "M", "database.ts": "M"}
    assert task.own == {"auth.ts": "M", "database.ts": "M"}
    assert task.arrived == {"other1.ts": "A", "src/u.ts": "M"}


@ARRIVED
def test_pulling_and_editing_a_file_on_top_of_what_arrived(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        other.commit({"n.ts": "1\n", "src/u.ts": tail("other\n")})
        repo.git("pull", "--quiet", "origin", "main")
        repo.write("src/u.ts", "mine\n" + tail("other\n"))
        repo.append("auth.ts")
    assert task.net == {"n.ts": "A", "src/u.ts": "M", "auth.ts": "M"}
    assert task.own == {"src/u.ts": "M", "auth.ts": "M"}
    assert task["src/u.ts"].origin == "mixed"


@HISTORY
@ARRIVED
def test_rebasing_its_own_commit_and_one_of_before_onto_a_branch_that_moved(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"pre.ts": "1\n"})
    repo.git("switch", "--quiet", "main")
    repo.commit({"other1.ts": "1\n"})
    repo.git("switch", "--quiet", "feature")
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        repo.git("rebase", "--quiet", "main")
    assert task.net == {"auth.ts": "M", "other1.ts": "A"}
    assert task.own == {"auth.ts": "M"}


@HISTORY
@ARRIVED
def test_rebasing_onto_the_work_of_others(repo: Repo) -> None:
    other = repo.clone("other")
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        other.commit({"other1.ts": "1\n"})
        repo.git("fetch", "--quiet", "origin")
        repo.git("rebase", "--quiet", "origin/main")
    assert task.net == {"auth.ts": "M", "other1.ts": "A"}
    assert task.own == {"auth.ts": "M"}


@ARRIVED
def test_a_conflict_the_task_resolved_is_its_own_work(repo: Repo) -> None:
    other = repo.clone("other")
    other.commit({"o.ts": "1\n", "auth.ts": head("theirs\n")})
    with repo.task() as task:
        repo.commit({"auth.ts": head("ours\n")})
        repo.git("pull", "--quiet", "origin", "main", check=False)
        repo.write("auth.ts", head("both\n"))
        repo.commit()
    assert task.net == {"o.ts": "A", "auth.ts": "M"}
    assert task.own == {"auth.ts": "M"}


@HISTORY
def test_ending_in_the_middle_of_a_conflict(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"auth.ts": head("theirs\n")})
    repo.git("switch", "--quiet", "main")
    with repo.task() as task:
        repo.commit({"auth.ts": head("ours\n")})
        repo.git("merge", "--quiet", "feature", check=False)
    assert b"<<<<<<<" in repo.read("auth.ts")
    assert task.net == task.own == {"auth.ts": "M"}


@HISTORY
@pytest.mark.proves("track:change:kept")
def test_the_commit_the_task_began_with_is_dropped_and_collected(repo: Repo) -> None:
    repo.commit({"pre.ts": "before\n"})
    with repo.task() as task:
        repo.write("pre.ts", "after\n")
        repo.git("commit", "--quiet", "--all", "--amend", "--message=amended")
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "--quiet", "--prune=now")
    assert task.net == task.own == {"pre.ts": "M"}
    assert b"-before\n+after\n" in task.patch


@HISTORY
@ARRIVED
def test_pulling_with_rebase(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", "--rebase", "origin", "main")
        repo.write("c.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A", "c.ts": "A"}
    assert task.own == {"auth.ts": "M", "c.ts": "A"}


@ARRIVED
def test_a_cherry_pick_is_the_tasks_own_doing(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    picked = repo.commit({"feat1.ts": "1\n"})
    repo.git("switch", "--quiet", "main")
    with repo.task() as task:
        repo.git("cherry-pick", picked)
    assert task.net == task.own == {"feat1.ts": "A"}


@HISTORY
@ARRIVED
def test_visiting_another_branch_and_coming_back(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"feat1.ts": "1\n", "src/u.ts": tail("feature\n")})
    repo.git("switch", "--quiet", "main")
    with repo.task() as task:
        repo.git("switch", "--quiet", "feature")
        repo.git("switch", "--quiet", "main")
        repo.append("auth.ts")
    assert task.net == task.own == {"auth.ts": "M"}


@HISTORY
@ARRIVED
def test_a_file_dirty_before_is_carried_to_another_branch(repo: Repo) -> None:
    repo.git("branch", "feature")
    repo.append("auth.ts", "of a person\n")
    repo.git("stash", "push", "--quiet")
    repo.git("switch", "--quiet", "feature")
    repo.commit({"feat1.ts": "1\n"})
    repo.git("switch", "--quiet", "main")
    repo.git("stash", "pop", "--quiet")
    with repo.task() as task:
        repo.git("switch", "--quiet", "feature")
        repo.append("database.ts")
    assert task.net == {"feat1.ts": "A", "database.ts": "M"}
    assert task.own == {"database.ts": "M"}


@HISTORY
@ARRIVED
def test_a_hard_reset_to_the_work_of_others(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        other.commit({"n.ts": "1\n"})
        repo.git("fetch", "--quiet", "origin")
        repo.git("reset", "--quiet", "--hard", "origin/main")
        repo.append("auth.ts")
    assert task.net == {"n.ts": "A", "auth.ts": "M"}
    assert task.own == {"auth.ts": "M"}


@HISTORY
@ARRIVED
def test_undoing_by_hand_what_a_merge_brought(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"src/u.ts": tail("feature\n")})
    repo.git("switch", "--quiet", "main")
    with repo.task() as task:
        repo.git("merge", "--quiet", "--no-ff", "--no-edit", "feature")
        repo.write("src/u.ts", tail(""))
        repo.commit()
    assert repo.read("src/u.ts") == tail("").encode()  # on disk nothing is left of it
    assert task.net == task.own == {"src/u.ts": "M"}
