"""Whose work it is, in the ways agents and people really move it about."""

from __future__ import annotations

import pytest

from deedlog.core.change import ARRIVED, MIXED
from tests.engines.git.repo import Repo, lines

pytestmark = pytest.mark.proves("track:change:arrived")


def away(repo: Repo, name: str = "feature") -> None:
    repo.git("switch", "--quiet", "--create", name)


def back(repo: Repo, name: str = "main") -> None:
    repo.git("switch", "--quiet", name)


@pytest.mark.parametrize("how", ["--ff-only", "--no-ff"])
def test_its_own_branch_merged_back_is_its_own_work(repo: Repo, how: str) -> None:
    with repo.task() as task:
        away(repo)
        repo.commit({"auth.ts": lines("login"), "new.ts": "1\n"})
        back(repo)
        repo.git("merge", "--quiet", "--no-edit", how, "feature")
    assert task.own == task.net == {"auth.ts": "M", "new.ts": "A"}


def test_its_own_commit_on_another_branch_taken_in_by_a_rebase_is_its_own_work(repo: Repo) -> None:
    away(repo)
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        back(repo)
        repo.commit({"new.ts": "1\n"})
        back(repo, "feature")
        repo.git("rebase", "--quiet", "main")
    assert task.own == task.net == {"new.ts": "A"}


def test_its_own_commit_pulled_back_from_elsewhere_is_its_own_work(repo: Repo) -> None:
    repo.clone("other").git("config", "receive.denyCurrentBranch", "updateInstead")
    with repo.task() as task:
        repo.commit({"new.ts": "1\n"})
        repo.git("push", "--quiet", "origin", "main")
        repo.git("reset", "--quiet", "--hard", "HEAD~1")
        repo.git("pull", "--quiet", "origin", "main")
    assert task.own == task.net == {"new.ts": "A"}


def test_its_own_branch_taken_over_others_work_keeps_both_apart(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        away(repo)
        repo.commit({"auth.ts": lines("login")})
        back(repo)
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", "origin", "main")
        repo.git("merge", "--quiet", "--no-edit", "feature")
    assert (task.own, task.arrived) == ({"auth.ts": "M"}, {"n.ts": "A"})


def test_both_edited_other_lines_of_one_file(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        repo.commit({"auth.ts": "mine\n" + lines("auth.ts")})
        other.commit({"auth.ts": lines("auth.ts") + "theirs\n"})
        repo.git("pull", "--quiet", "--no-edit", "origin", "main")
    assert task.own == {"auth.ts": "M"}
    assert task["auth.ts"].origin == "mixed"


def test_a_merge_that_deletes_a_file_of_others_is_no_deletion_by_the_task(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        other.git("rm", "--quiet", "database.ts")
        other.commit()
        repo.git("pull", "--quiet", "origin", "main")
    assert (task.own, task.arrived) == ({}, {"database.ts": "D"})


def test_a_squashed_merge_is_the_tasks_own_work(repo: Repo) -> None:
    away(repo)
    repo.commit({"feat1.ts": "1\n"})
    back(repo)
    with repo.task() as task:
        repo.git("merge", "--quiet", "--squash", "feature")
        repo.git("commit", "--quiet", "--message=squashed")
    assert task.own == {"feat1.ts": "A"}


def test_a_file_taken_from_another_branch_is_the_tasks_own_work(repo: Repo) -> None:
    away(repo)
    repo.commit({"feat1.ts": "1\n"})
    back(repo)
    with repo.task() as task:
        repo.git("checkout", "feature", "--", "feat1.ts")
    assert task.own == {"feat1.ts": "A"}


def test_a_revert_of_others_work_is_the_tasks_own_work(repo: Repo) -> None:
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("revert", "--no-edit", "HEAD")
    assert task.own == {"pre.ts": "D"}


def test_work_carried_over_a_pull_on_the_stash_stays_its_own(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        repo.append("auth.ts")
        repo.write("new.ts")
        repo.git("stash", "push", "--quiet", "--include-untracked")
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", "origin", "main")
        repo.git("stash", "pop", "--quiet")
    assert (task.own, task.arrived) == ({"auth.ts": "M", "new.ts": "A"}, {"n.ts": "A"})


def test_a_branch_made_where_one_stands_brings_nothing(repo: Repo) -> None:
    with repo.task() as task:
        away(repo)
        repo.commit({"new.ts": "1\n"})
        away(repo, "second")
        repo.append("auth.ts")
    assert task.own == task.net == {"new.ts": "A", "auth.ts": "M"}


def test_a_merge_given_up_brings_nothing(repo: Repo) -> None:
    away(repo)
    repo.commit({"auth.ts": "theirs\n", "feat1.ts": "1\n"})
    back(repo)
    repo.commit({"auth.ts": "ours\n"})
    with repo.task() as task:
        repo.git("merge", "--quiet", "feature", check=False)
        repo.git("merge", "--abort")
        repo.append("database.ts")
    assert task.own == task.net == {"database.ts": "M"}


def test_what_a_conflicted_merge_brought_so_far_has_arrived(repo: Repo) -> None:
    away(repo)
    repo.commit({"auth.ts": "theirs\n", "feat1.ts": "1\n"})
    back(repo)
    repo.commit({"auth.ts": "ours\n"})
    with repo.task() as task:
        repo.git("merge", "--quiet", "feature", check=False)
    assert task.net == {"auth.ts": "M", "feat1.ts": "A"}
    assert "auth.ts" in task.own


def test_others_commit_dropped_in_an_interactive_rebase_is_the_tasks_doing(repo: Repo) -> None:
    repo.commit({"one.ts": "1\n"})
    repo.commit({"two.ts": "2\n"})
    with repo.task() as task:
        repo.git("rebase", "--quiet", "--onto", "HEAD~2", "HEAD~1")
    assert task.own == task.net == {"one.ts": "D"}


def test_where_git_keeps_no_log_of_heads_moves_committers_tell_whose_it_is(repo: Repo) -> None:
    other = repo.clone("other")
    repo.git("config", "core.logAllRefUpdates", "false")
    (repo.path / ".git/logs/HEAD").unlink()
    other.git("config", "user.email", "somebody@example.invalid")
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", "--no-edit", "origin", "main")
    assert task.own == {"auth.ts": "M"}
    assert task.arrived == {"n.ts": "A"}


@pytest.mark.parametrize("committed", [False, True])
def test_a_branch_without_a_past_that_keeps_the_files_brings_nothing(repo: Repo, *, committed: bool) -> None:
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("checkout", "--quiet", "--orphan", "fresh")
        repo.append("auth.ts")
        if committed:
            repo.commit()
    assert task.own == task.net == {"auth.ts": "M"}


def test_a_merge_of_before_that_the_task_only_concludes_brings_nothing(repo: Repo) -> None:
    away(repo)
    repo.commit({"feat1.ts": "1\n", "src/u.ts": "feature\n"})
    back(repo)
    repo.git("merge", "--quiet", "--no-ff", "--no-commit", "feature")
    with repo.task() as task:
        repo.write("src/u.ts", "mine\n")
        repo.commit()
    assert task.own == task.net == {"src/u.ts": "M"}
    assert task["src/u.ts"].origin == "task"


def test_a_conflict_settled_by_taking_what_others_have_leaves_nothing_of_the_task(repo: Repo) -> None:
    other = repo.clone("other")
    other.commit({"auth.ts": "theirs\n"})
    with repo.task() as task:
        repo.commit({"auth.ts": "mine\n"})
        repo.git("pull", "--quiet", "origin", "main", check=False)
        repo.git("checkout", "--theirs", "auth.ts")
        repo.commit()
    assert (task.own, task.arrived) == ({}, {"auth.ts": "M"})


def test_going_forward_to_somebodys_merge_brings_both_sides_of_it(repo: Repo) -> None:
    other = repo.clone("other")
    other.git("switch", "--quiet", "--create", "side")
    other.commit({"side.ts": "1\n"})
    back(other)
    other.commit({"main.ts": "1\n"})
    other.git("merge", "--quiet", "--no-edit", "side")
    with repo.task() as task:
        repo.git("pull", "--quiet", "--ff-only", "origin", "main")
        repo.append("auth.ts")
    assert (task.own, task.arrived) == ({"auth.ts": "M"}, {"main.ts": "A", "side.ts": "A"})


def test_a_branch_that_was_rebased_upon_is_somebodys_still(repo: Repo) -> None:
    away(repo)
    repo.commit({"feat1.ts": "1\n"})
    back(repo)
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("rebase", "--quiet", "feature")
        back(repo, "feature")
        repo.append("auth.ts")
    assert task.own == {"auth.ts": "M"}
    assert task.arrived == {"feat1.ts": "A", "pre.ts": "D"}


@pytest.mark.parametrize("how", ["address", "refs", "odd name"])
def test_own_commits_put_on_top_of_what_a_pull_brought_stay_its_own(repo: Repo, how: str) -> None:
    other = repo.clone("other")
    away(other, "fix(start)")
    given = {
        "address": [f"file://{other.tree}", "fix(start)"],
        "refs": ["origin", "fix(start):refs/remotes/origin/fixed"],
        "odd name": ["origin", "fix(start)"],
    }
    with repo.task() as task:
        repo.commit({"new.ts": "1\n"})
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", "--rebase", *given[how])
    assert (task.own, task.arrived) == ({"new.ts": "A"}, {"n.ts": "A"})


@pytest.mark.parametrize("name", ["fix(auth)", "fix(pick)", "main"])
def test_what_a_pull_brings_arrived_whatever_its_branch_is_called(repo: Repo, name: str) -> None:
    other = repo.clone("other")
    other.git("switch", "--quiet", "--force-create", name)
    with repo.task() as task:
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", f"file://{other.tree}", name)
        repo.git("commit", "--quiet", "--allow-empty", "--message=merge (start): x")
    assert (task.own, task.arrived) == ({}, {"n.ts": "A"})


@pytest.mark.parametrize("named", ["attributes", "own attributes", "default"])
def test_programs_of_the_users_that_merge_do_not_run(repo: Repo, named: str) -> None:
    repo.write(".gitattributes" if named == "attributes" else ".git/info/attributes", "auth.ts merge=Mine\n")
    if named == "default":
        repo.write(".git/info/attributes", "")
        repo.git("config", "merge.default", "Mine")
    repo.write("src/u.ts", lines("before"))
    repo.commit()
    other = repo.clone("other")
    ran = repo.path.parent / "ran"
    repo.git("config", "merge.Mine.driver", f"touch '{ran}'; echo merged >> %A")
    repo.commit({"auth.ts": "top\n" + lines("auth.ts")})
    other.commit({"auth.ts": lines("auth.ts") + "bottom\n", "n.ts": "1\n"})
    repo.engine.take("start", repo.tree)
    repo.git("pull", "--quiet", "--no-edit", "origin", "main")
    ran.unlink()
    repo.engine.take("end", repo.tree)
    compared = repo.engine.compare(repo.tree, ["start", "end"])
    assert not ran.exists()
    assert {one.path: one.origin for one in compared.changes} == {"auth.ts": MIXED, "n.ts": ARRIVED}


def test_its_own_work_that_was_squashed_elsewhere_and_pulled_is_its_own(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        away(repo)
        repo.commit({"new.ts": "draft\n"})
        repo.commit({"new.ts": "1\n", "auth.ts": lines("login")})
        repo.git("rm", "--quiet", "database.ts")
        repo.commit()
        repo.git("push", "--quiet", "origin", "feature")
        other.commit({"n.ts": "1\n"})
        other.git("merge", "--quiet", "--squash", "feature")
        other.commit()
        back(repo)
        repo.git("pull", "--quiet", "origin", "main")
    assert task.own == {"auth.ts": "M", "database.ts": "D", "new.ts": "A"}
    assert task.arrived == {"n.ts": "A"}
    assert b"+login 1" in task.patch


def test_others_commit_that_the_task_picked_before_it_was_merged_has_arrived(repo: Repo) -> None:
    away(repo)
    repo.commit({"feat1.ts": "1\n"})
    back(repo)
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("cherry-pick", "feature")
        repo.git("merge", "--quiet", "--no-edit", "feature")
    assert (task.own, task.arrived) == ({}, {"feat1.ts": "A"})


@pytest.mark.parametrize("behind", [True, False])
def test_a_branch_of_others_that_is_rebased_from_elsewhere_has_arrived(repo: Repo, *, behind: bool) -> None:
    away(repo)
    repo.commit({"feat1.ts": "1\n"})
    back(repo)
    if behind:
        repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.git("rebase", "--quiet", "main", "feature")
        repo.append("auth.ts")
    assert (task.own, task.arrived) == ({"auth.ts": "M"}, {"feat1.ts": "A"})


def test_its_own_branch_that_is_rebased_from_elsewhere_stays_its_own(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        away(repo)
        repo.commit({"new.ts": "1\n"})
        back(repo)
        other.commit({"n.ts": "1\n"})
        repo.git("pull", "--quiet", "origin", "main")
        repo.git("rebase", "--quiet", "main", "feature")
    assert (task.own, task.arrived) == ({"new.ts": "A"}, {"n.ts": "A"})
