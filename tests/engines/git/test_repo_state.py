"""Repositories in unusual states."""

from __future__ import annotations

import os
import shutil

import pytest

from deedlog.core.errors import DeedlogError, Part, Unavailable
from deedlog.snapshots import TreeSnapshots
from tests.engines.git.repo import Repo, lines

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
EMPTY_TREE_SHA256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
UNCOMMITTED = pytest.mark.proves("track:change:no-commit")
SPECIAL = pytest.mark.proves("track:change:special")


def hash_length(repo: Repo) -> int:
    return len(repo.head())


@pytest.mark.proves("track:snapshot:git")
def test_a_snapshot_is_named_after_the_commit_it_was_taken_on(repo: Repo) -> None:
    with repo.task() as task:
        pass
    assert (task.start.type, task.start.base, task.start.branch) == ("git", repo.head(), "main")
    assert os.path.samefile(task.start.tree, repo.tree)


@UNCOMMITTED
@pytest.mark.proves("track:snapshot:git")
@pytest.mark.parametrize(("options", "base"), [([], EMPTY_TREE), (["--object-format=sha256"], EMPTY_TREE_SHA256)])
def test_a_repository_without_a_commit(repo: Repo, options: list[str], base: str) -> None:
    unborn = repo.beside("unborn", *options).seen()
    unborn.write("old.ts")
    unborn.write("staged.ts")
    unborn.git("add", "staged.ts")
    with unborn.task() as task:
        unborn.write("n.ts")
        unborn.append("old.ts")
    assert task.start.base == base
    assert task.net == task.own == {"n.ts": "A", "old.ts": "M"}


@UNCOMMITTED
def test_the_first_commit_is_made_during_the_task(repo: Repo) -> None:
    unborn = repo.beside("unborn").seen()
    unborn.write("old.ts")
    with unborn.task() as task:
        unborn.commit({"n.ts": "1\n"})
    assert task.net == task.own == {"n.ts": "A"}


@UNCOMMITTED
def test_a_detached_head(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "--detach")
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        repo.write("n.ts")
    assert task.net == task.own == {"auth.ts": "M", "n.ts": "A"}
    assert task.start.branch == ""


@UNCOMMITTED
@pytest.mark.parametrize("committed", [False, True])
def test_a_branch_without_a_past_made_by_the_task(repo: Repo, *, committed: bool) -> None:
    with repo.task() as task:
        repo.git("switch", "--quiet", "--orphan", "fresh")
        repo.write("n.ts")
        if committed:
            repo.commit()
    assert task.net == {"auth.ts": "D", "database.ts": "D", "src/u.ts": "D", "n.ts": "A"}


@UNCOMMITTED
def test_a_linked_work_tree(repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = Repo(repo.path.parent / "linked", repo.engine).seen()
    repo.append("database.ts")
    with linked.task() as task:
        linked.commit({"auth.ts": lines("login")})
        linked.write("n.ts")
        repo.append("src/u.ts")
    assert task.net == task.own == {"auth.ts": "M", "n.ts": "A"}
    assert task.start.branch == "side"


@UNCOMMITTED
def test_two_linked_work_trees_have_tasks_of_their_own(repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = Repo(repo.path.parent / "linked", repo.engine)
    with repo.task() as one:
        repo.append("auth.ts")
        with linked.task() as two:
            linked.append("database.ts")
        repo.append("src/u.ts")
    assert (one.net, two.net) == ({"auth.ts": "M", "src/u.ts": "M"}, {"database.ts": "M"})


@SPECIAL
def test_a_repository_with_longer_hashes(repo: Repo) -> None:
    longer = repo.beside("longer", "--object-format=sha256").seen()
    base = longer.commit({"auth.ts": lines("auth.ts"), "old.ts": lines("old")})
    longer.append("old.ts")
    with longer.task() as task:
        longer.commit({"auth.ts": lines("login")})
        longer.write("n.ts")
    assert len(base) == 64
    assert task.start.base == base
    assert task.net == task.own == {"auth.ts": "M", "n.ts": "A"}
    assert b"+login 0" in task.patch


@SPECIAL
def test_a_repository_whose_git_folder_is_elsewhere(repo: Repo) -> None:
    apart = repo.beside("apart", "--separate-git-dir=../apart.git")
    apart.commit({"auth.ts": lines("auth.ts")})
    with apart.seen().task() as task:
        apart.commit({"auth.ts": lines("login")})
        apart.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}


@SPECIAL
@pytest.mark.parametrize("how", ["--shared", "--depth=1", "--filter=blob:none"])
def test_a_clone_that_does_not_have_everything_itself(repo: Repo, how: str) -> None:
    repo.commit({"auth.ts": lines("login")})
    repo.git("config", "uploadpack.allowFilter", "true")
    source = repo.tree if how == "--shared" else f"file://{repo.tree}"
    repo.git("clone", "--quiet", how, source, "../partial")
    partial = Repo(repo.path.parent / "partial", repo.engine).seen()
    with partial.task() as task:
        repo.commit({"n.ts": "1\n"})
        partial.commit({"auth.ts": lines("own")})
        partial.git("pull", "--quiet", "--no-edit", "origin", "main")
        partial.append("database.ts")
    assert task.net == {"auth.ts": "M", "database.ts": "M", "n.ts": "A"}
    assert task.own == {"auth.ts": "M", "database.ts": "M"}
    assert b"-login 0\n" in task.patch


@SPECIAL
@pytest.mark.parametrize("count", [30, 100])
def test_many_files_committed_by_the_task(repo: Repo, count: int) -> None:
    """So many that private state is made anew, or so few that it is not."""
    for number in range(count):
        repo.write(f"many/{number}.ts", lines(f"{number}"))
    repo.commit()
    with repo.task() as task:
        repo.commit({f"many/{number}.ts": lines("other") for number in range(1, count)})
        repo.write("many/1.ts", lines("1"))
        repo.delete("many/2.ts")
        repo.append("many/0.ts")
    wanted = {f"many/{number}.ts": "M" for number in range(count)}
    assert task.net == {**wanted, "many/2.ts": "D"}
    assert task["many/1.ts"].place == "HEAD"  # the tree has it as it was


@SPECIAL
def test_a_commit_that_is_shown_as_another(repo: Repo) -> None:
    first = repo.head()
    second = repo.commit({"auth.ts": lines("login")})
    repo.git("replace", second, first)
    with repo.task() as task:
        repo.append("database.ts")
    assert task.net == {"database.ts": "M"}


@SPECIAL
def test_a_split_index(repo: Repo) -> None:
    repo.git("update-index", "--split-index")
    repo.append("database.ts")
    repo.git("add", "database.ts")
    with repo.task() as task:
        repo.append("auth.ts")
        repo.git("add", "auth.ts")
        repo.write("n.ts")
    assert task.net == {"auth.ts": "M", "n.ts": "A"}


@pytest.mark.proves("track:snapshot:git")
def test_a_bare_repository_is_refused(repo: Repo) -> None:
    bare = repo.beside("bare", "--bare")
    with pytest.raises(DeedlogError) as refused:
        TreeSnapshots(bare.tree, repo.engine.store).take("start")
    assert refused.value.part is Part.GIT
    assert bare.refs() == []


@pytest.mark.proves("track:snapshot:git")
def test_a_tree_that_vanished_is_refused_and_never_an_empty_result(repo: Repo) -> None:
    snapshots = TreeSnapshots(repo.tree, repo.engine.store)
    snapshots.take("start")
    shutil.rmtree(repo.path)
    with pytest.raises(Unavailable, match="is not there any more") as refused:
        snapshots.take("end", repo.tree)
    assert refused.value.part is Part.GIT
    assert refused.value.hint == "bring it back"


@pytest.mark.proves("track:snapshot:git")
def test_a_linked_work_tree_that_was_moved_away_is_said_to_be_gone_until_it_is_back(repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "../linked")
    linked, moved = repo.path.parent / "linked", repo.path.parent / "moved"
    snapshots = TreeSnapshots(str(linked), repo.engine.store)
    snapshots.take("start")
    linked.rename(moved)
    with pytest.raises(Unavailable, match=f"the work tree {linked} is not there any more"):
        snapshots.take("end")
    moved.rename(linked)
    (linked / "auth.ts").write_text("other\n")
    snapshots.take("end")
    assert [one.path for one in snapshots.compare(str(linked), ["start", "end"]).changes] == ["auth.ts"]


@pytest.mark.proves("track:snapshot:git")
def test_a_repository_that_vanished_from_its_tree_is_refused(repo: Repo) -> None:
    snapshots = TreeSnapshots(repo.tree, repo.engine.store)
    snapshots.take("start")
    shutil.rmtree(repo.path / ".git")
    with pytest.raises(DeedlogError):
        TreeSnapshots(repo.tree, repo.engine.store).compare(repo.tree, ["start", "end"])


@pytest.mark.proves("track:snapshot:git")
def test_a_snapshot_that_was_never_taken_is_not_found(repo: Repo) -> None:
    repo.engine.take("start", repo.tree)
    with pytest.raises(DeedlogError) as refused:
        repo.engine.compare(repo.tree, ["start", "never"])
    assert refused.value.part is Part.GIT


def test_a_folder_without_a_repository_has_no_git_snapshot(repo: Repo) -> None:
    plain = repo.path.parent / "plain"
    plain.mkdir()
    assert not repo.engine.opened().serves(str(plain))
    assert repo.engine.opened().serves(repo.tree)
