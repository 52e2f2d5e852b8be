"""Several tasks in one tree: what changed in which stretch of time."""

from __future__ import annotations

import time

import pytest

from deedlog.core.change import Comparison
from deedlog.git.snapshots import GitSnapshots
from tests.engines.git.repo import LETTERS, Repo, lines

pytestmark = pytest.mark.proves("track:change:shared")


def letters(compared: Comparison) -> dict[str, str]:
    return {one.path: LETTERS[one.status] for one in compared.changes}


def touched(compared: Comparison) -> list[set[str]]:
    return [set(interval) for interval in compared.touched]


def test_each_interval_has_what_changed_in_it(repo: Repo) -> None:
    repo.commit({"a.ts": "1\n", "b.ts": "1\n", "c.ts": "1\n"})
    repo.engine.take("a-start", repo.tree)
    repo.append("a.ts")
    repo.engine.take("b-start", repo.tree)
    repo.append("b.ts")
    repo.engine.take("b-end", repo.tree)
    of_b = repo.engine.compare(repo.tree, ["b-start", "b-end"])
    repo.engine.forget(repo.tree, ["a-start", "b-start", "b-end"])
    repo.append("c.ts")
    repo.engine.take("a-end", repo.tree)
    of_a = repo.engine.compare(repo.tree, ["a-start", "b-start", "b-end", "a-end"])
    repo.engine.forget(repo.tree)
    assert letters(of_b) == {"b.ts": "M"}
    assert touched(of_b) == [{"b.ts"}]
    assert letters(of_a) == {"a.ts": "M", "b.ts": "M", "c.ts": "M"}
    assert touched(of_a) == [{"a.ts"}, {"b.ts"}, {"c.ts"}]


def test_a_file_changed_in_two_intervals_is_in_both(repo: Repo) -> None:
    repo.engine.take("1", repo.tree)
    repo.append("auth.ts", "one\n")
    repo.engine.take("2", repo.tree)
    repo.append("auth.ts", "two\n")
    repo.write("new.ts")
    repo.engine.take("3", repo.tree)
    compared = repo.engine.compare(repo.tree, ["1", "2", "3"])
    assert touched(compared) == [{"auth.ts"}, {"auth.ts", "new.ts"}]
    assert compared.changes[0].added == 2


def test_a_change_that_another_undid_is_in_both_intervals_and_in_no_net(repo: Repo) -> None:
    repo.engine.take("1", repo.tree)
    repo.append("auth.ts")
    repo.write("new.ts")
    repo.engine.take("2", repo.tree)
    repo.write("auth.ts", lines("auth.ts"))
    repo.delete("new.ts")
    repo.engine.take("3", repo.tree)
    compared = repo.engine.compare(repo.tree, ["1", "2", "3"])
    assert letters(compared) == {}
    assert touched(compared) == [{"auth.ts", "new.ts"}, {"auth.ts", "new.ts"}]


def test_intervals_parted_by_commits_and_branches(repo: Repo) -> None:
    repo.engine.take("1", repo.tree)
    repo.commit({"auth.ts": lines("login")})
    repo.engine.take("2", repo.tree)
    repo.git("switch", "--quiet", "--create", "feature")
    repo.commit({"feat.ts": "1\n"})
    repo.append("database.ts")
    repo.engine.take("3", repo.tree)
    repo.commit()
    repo.git("reset", "--quiet", "--soft", "main")
    repo.engine.take("4", repo.tree)
    compared = repo.engine.compare(repo.tree, ["1", "2", "3", "4"])
    assert letters(compared) == {"auth.ts": "M", "feat.ts": "A", "database.ts": "M"}
    assert touched(compared) == [{"auth.ts"}, {"feat.ts", "database.ts"}, set()]


def test_a_rename_touches_both_names(repo: Repo) -> None:
    repo.engine.take("1", repo.tree)
    repo.rename("auth.ts", "login.ts")
    repo.engine.take("2", repo.tree)
    repo.append("login.ts")
    repo.engine.take("3", repo.tree)
    compared = repo.engine.compare(repo.tree, ["1", "2", "3"])
    assert touched(compared) == [{"auth.ts", "login.ts"}, {"login.ts"}]


def test_forgetting_keeps_what_others_still_need(repo: Repo) -> None:
    repo.engine.take("a-start", repo.tree)
    repo.append("auth.ts")
    repo.engine.take("b-start", repo.tree)
    repo.engine.forget(repo.tree, ["a-start", "b-start"])
    repo.commit({"database.ts": lines("data")})
    repo.git("commit", "--quiet", "--amend", "--message=again")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    repo.engine.take("end", repo.tree)
    assert letters(repo.engine.compare(repo.tree, ["a-start", "end"])) == {"auth.ts": "M", "database.ts": "M"}
    repo.engine.forget(repo.tree, ["b-start", "end"])
    assert letters(repo.engine.compare(repo.tree, ["b-start", "end"])) == {"database.ts": "M"}
    repo.engine.forget(repo.tree)
    assert [ref for ref in repo.refs() if "deedlog" in ref] == []


def test_two_trees_have_snapshots_of_their_own_under_one_name(repo: Repo) -> None:
    other = repo.beside("other")
    other.commit({"o.ts": "1\n"})
    for tree in (repo, other):
        tree.engine.take("start", tree.tree)
    repo.append("auth.ts")
    other.append("o.ts")
    for tree in (repo, other):
        tree.engine.take("end", tree.tree)
    assert letters(repo.engine.compare(repo.tree, ["start", "end"])) == {"auth.ts": "M"}
    repo.engine.forget(repo.tree)
    assert letters(other.engine.compare(other.tree, ["start", "end"])) == {"o.ts": "M"}


def test_a_work_tree_that_was_removed_leaves_no_pin_behind(repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "../side")
    side = Repo(repo.path.parent / "side", repo.engine)
    repo.engine.take("side-start", side.tree)
    repo.git("worktree", "remove", "--force", "../side")
    repo.engine.opened().forget(side.tree, [], ["side-start"])
    assert [ref for ref in repo.refs() if "deedlog" in ref] == []


def test_two_stores_that_keep_snapshots_of_one_tree_leave_each_other_s_alone(repo: Repo) -> None:
    other = GitSnapshots(str(repo.engine.place.parent / "other-store"))
    other.take("start", repo.tree)
    with repo.task():
        repo.append("auth.ts")
    repo.commit()
    repo.git("commit", "--quiet", "--amend", "--message=again")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "--quiet", "--prune=now")
    other.take("end", repo.tree)
    assert letters(other.compare(repo.tree, ["start", "end"])) == {"auth.ts": "M"}


def test_what_a_nested_repository_had_committed_survives_its_collection(repo: Repo) -> None:
    inner = Repo.init(repo.path / "inner", repo.engine)
    inner.commit({"n.c": "1\n"})
    with repo.task() as task:
        inner.write("n.c", "2\n")
        inner.git("commit", "--quiet", "--all", "--amend", "--message=again")
        inner.git("reflog", "expire", "--expire=now", "--all")
        inner.git("gc", "--quiet", "--prune=now")
    assert task.net == {"inner/n.c": "M"}
    assert b"-1\n+2\n" in task.patch
    assert [ref for ref in inner.refs() if "deedlog" in ref] == []


def test_snapshots_follow_each_other_though_the_clock_is_set_back(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    first = repo.engine.take("a", repo.tree)
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() - 60_000_000_000)
    assert repo.engine.take("b", repo.tree).at > first.at
