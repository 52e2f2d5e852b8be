"""Work that the session committed and that the files on disk do not show: hidden, or left on another branch."""

from __future__ import annotations

import os

import pytest

from tests.engines.git.repo import KNOWN, Outcome, Repo, lines

HIDDEN = pytest.mark.proves("track:change:hidden-commit")
LEFT = pytest.mark.proves("track:change:other-branch")
NOT_IN_TREE = "committed, not in the working tree"
EVIL = "all:\n\tevil\n"


def blob(repo: Repo, text: str) -> str:
    return repo.git("hash-object", "-w", "--stdin", given=text).strip()


def stage(repo: Repo, path: str, text: str, mode: str = "100644") -> None:
    """Put a content into the index and nowhere else."""
    repo.git("update-index", "--add", "--cacheinfo", f"{mode},{blob(repo, text)},{path}")


def commit_staged(repo: Repo) -> None:
    repo.git("commit", "--quiet", "--message=staged")


def away(repo: Repo, name: str = "fix") -> None:
    repo.git("switch", "--quiet", "--create", name)


def back(repo: Repo, name: str = "main") -> None:
    repo.git("switch", "--quiet", name)


def places(task: Outcome) -> dict[str, str]:
    return {one.path: one.place for one in task.compared.changes if one.place}


@HIDDEN
@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree", "--fsmonitor-valid", ""])
@pytest.mark.parametrize("path", ["Makefile", "auth.ts"])
def test_a_commit_of_contents_that_were_never_on_disk_is_reported(repo: Repo, flag: str, path: str) -> None:
    with repo.task() as task:
        repo.write("src/work.txt")
        repo.git("add", "src/work.txt")
        stage(repo, path, EVIL)
        commit_staged(repo)
        if flag:
            repo.git("update-index", flag, path)
    assert task.own == {"src/work.txt": "A", path: "A" if path == "Makefile" else "M"}
    assert b"+\tevil\n" in task.patch


@HIDDEN
def test_a_hidden_commit_says_so_in_its_note(repo: Repo) -> None:
    with repo.task() as task:
        stage(repo, "auth.ts", EVIL)
        commit_staged(repo)
        repo.git("update-index", "--assume-unchanged", "auth.ts")
        repo.append("database.ts")
    assert NOT_IN_TREE in task["auth.ts"].note
    assert places(task) == {"auth.ts": "HEAD"}
    assert (task["auth.ts"].added, task["auth.ts"].deleted) == (2, 10)


@HIDDEN
@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_commit_hidden_under_another_edit_of_the_file_is_what_git_shows(repo: Repo, flag: str) -> None:
    """The flag lets git say that the file is as committed: the commit counts, and the note names the difference."""
    with repo.task() as task:
        stage(repo, "auth.ts", EVIL)
        commit_staged(repo)
        repo.git("update-index", flag, "auth.ts")
        repo.append("auth.ts", "harmless\n")
    assert task.own == {"auth.ts": "M"}
    assert b"+\tevil\n" in task.patch
    assert NOT_IN_TREE in task["auth.ts"].note


@HIDDEN
def test_a_branch_taken_back_behind_flags_is_reported(repo: Repo) -> None:
    repo.commit({"auth.ts": lines("safe")})
    with repo.task() as task:
        repo.git("reset", "--quiet", "--mixed", "HEAD~1")
        repo.git("update-index", "--assume-unchanged", "auth.ts")
    assert task.own == {"auth.ts": "M"}
    assert b"-safe 0\n" in task.patch


@HIDDEN
@pytest.mark.parametrize("how", ["split", "sparse index", "sparse", "ignoreStat", "intent", "fsmonitor", "untracked"])
def test_no_kind_of_index_hides_a_commit(repo: Repo, how: str) -> None:
    if how == "split":
        repo.git("update-index", "--split-index")
    elif how in {"sparse", "sparse index"}:
        repo.git("sparse-checkout", "set", "--cone", *(["--sparse-index"] if how == "sparse index" else []), "src")
        repo.git("config", "index.sparse", "true" if how == "sparse index" else "false")
    elif how == "ignoreStat":
        repo.git("config", "core.ignoreStat", "true")
    elif how == "fsmonitor":
        repo.git("config", "core.fsmonitor", "true-that-never-tells")
    elif how == "untracked":
        repo.git("config", "core.untrackedCache", "true")
    with repo.task() as task:
        stage(repo, "hidden/Makefile", EVIL)
        stage(repo, "src/u.ts", EVIL)
        commit_staged(repo)
        if how == "intent":
            repo.git("rm", "--quiet", "--cached", "hidden/Makefile")
            repo.write("hidden/Makefile", "")
            repo.git("add", "--intent-to-add", "hidden/Makefile")
            repo.delete("hidden/Makefile")
        repo.git("update-index", "--assume-unchanged", "src/u.ts")
    assert task.own == {"hidden/Makefile": "A", "src/u.ts": "M"}
    assert task.patch.count(b"+\tevil\n") == 2


@HIDDEN
@pytest.mark.parametrize("how", ["update-ref", "file"])
def test_a_commit_made_of_trees_and_refs_alone_is_reported(repo: Repo, how: str) -> None:
    with repo.task() as task:
        stage(repo, "Makefile", EVIL)
        tree = repo.git("write-tree").strip()
        repo.git("update-index", "--force-remove", "Makefile")
        made = repo.git("commit-tree", tree, "-p", "HEAD", "-m", "made").strip()
        if how == "file":
            repo.write(".git/refs/heads/main", f"{made}\n")
        else:
            repo.git("update-ref", "refs/heads/main", made)
    assert task.own == {"Makefile": "A"}
    assert b"+\tevil\n" in task.patch


@HIDDEN
def test_a_commit_that_was_taken_back_on_disk_alone_is_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"auth.ts": "other\n", "new.ts": "1\n"})
        repo.write("auth.ts", lines("auth.ts"))
        repo.delete("new.ts")
    assert task.own == {"auth.ts": "M", "new.ts": "A"}
    assert places(task) == {"auth.ts": "HEAD", "new.ts": "HEAD"}


@HIDDEN
def test_a_committed_deletion_of_a_file_that_stays_on_disk_is_reported(repo: Repo) -> None:
    with repo.task() as task:
        repo.git("rm", "--quiet", "--cached", "auth.ts")
        commit_staged(repo)
        repo.write(".git/info/exclude", "auth.ts\n")
    assert task.own == {"auth.ts": "D"}
    assert NOT_IN_TREE in task["auth.ts"].note


@HIDDEN
def test_a_hidden_rename_is_one(repo: Repo) -> None:
    with repo.task() as task:
        stage(repo, "login.ts", lines("auth.ts"))
        repo.git("update-index", "--force-remove", "auth.ts")
        commit_staged(repo)
        repo.git("update-index", "--skip-worktree", "login.ts")
    assert task.own == {"auth.ts": "D", "login.ts": "A"}


@HIDDEN
def test_a_hidden_mode_and_a_hidden_link_are_reported(repo: Repo) -> None:
    with repo.task() as task:
        stage(repo, "auth.ts", lines("auth.ts"), mode="100755")
        stage(repo, "database.ts", "/etc/passwd", mode="120000")
        commit_staged(repo)
        repo.git("update-index", "--assume-unchanged", "auth.ts", "database.ts")
    assert task.own == {"auth.ts": "M", "database.ts": "M"}


@HIDDEN
def test_a_hidden_secret_is_named_and_not_shown(repo: Repo) -> None:
    with repo.task() as task:
        stage(repo, ".env", "SECRET=1\n")
        commit_staged(repo)
        repo.git("update-index", "--assume-unchanged", ".env")
    assert task.own == {".env": "A"}
    assert b"SECRET" not in task.patch


@HIDDEN
def test_a_hidden_commit_in_a_repository_inside_is_reported(repo: Repo) -> None:
    inner = Repo.init(repo.path / "inner", repo.engine)
    inner.commit({"n.c": "1\n"})
    with repo.task() as task:
        stage(inner, "n.c", EVIL)
        commit_staged(inner)
        inner.git("update-index", "--assume-unchanged", "n.c")
    assert task.own == {"inner/n.c": "M"}


@HIDDEN
def test_a_hidden_commit_on_top_of_what_arrived_is_the_tasks_own(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        other.commit({"auth.ts": lines("theirs"), "n.ts": "1\n"})
        repo.git("pull", "--quiet", "origin", "main")
        stage(repo, "auth.ts", EVIL)
        commit_staged(repo)
        repo.git("update-index", "--assume-unchanged", "auth.ts")
    assert (task.own, task.arrived) == ({"auth.ts": "M"}, {"n.ts": "A"})
    assert b"-theirs 0\n" in task.patch
    assert b"+\tevil\n" in task.patch


@HIDDEN
def test_what_was_dirty_before_and_is_committed_is_no_change(repo: Repo) -> None:
    repo.append("auth.ts", "of a person\n")
    repo.write("note.txt")
    with repo.task() as task:
        repo.commit()
    assert task.net == {}


@HIDDEN
@KNOWN
def test_a_commit_and_a_further_edit_are_one_change(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"auth.ts": lines("login")})
        repo.append("auth.ts", "last\n")
    assert task.own == {"auth.ts": "M"}
    assert b"+last\n" in task.patch
    assert places(task) == {}


@HIDDEN
@KNOWN
def test_a_commit_that_another_commit_took_back_is_no_change(repo: Repo) -> None:
    with repo.task() as task:
        repo.commit({"auth.ts": "other\n"})
        repo.git("revert", "--no-edit", "HEAD")
    assert task.net == {}


@LEFT
@pytest.mark.parametrize("start", ["main", "detached", "linked"])
def test_work_left_on_another_branch_is_found(repo: Repo, start: str) -> None:
    if start == "detached":
        repo.git("checkout", "--quiet", "--detach")
    if start == "linked":
        repo.git("worktree", "add", "--quiet", "-b", "side", "../linked")
        repo = Repo(repo.path.parent / "linked", repo.engine).seen()
    with repo.task() as task:
        away(repo)
        repo.commit({"auth.ts": lines("login"), "new.ts": "1\n"})
        repo.git("rm", "--quiet", "database.ts")
        repo.commit()
        repo.git("checkout", "--quiet", "-")
    assert task.own == task.net == {"auth.ts": "M", "new.ts": "A", "database.ts": "D"}
    assert set(places(task).values()) == {"fix"}
    current = {"main": "main", "detached": "HEAD", "linked": "side"}[start]
    assert f"on branch fix, not on {current}" in task["auth.ts"].note
    assert b"+login 1\n" in task.patch


@LEFT
def test_work_on_two_branches_is_found_on_each(repo: Repo) -> None:
    with repo.task() as task:
        away(repo, "one")
        repo.commit({"one.ts": "1\n", "auth.ts": "1\n"})
        back(repo)
        away(repo, "two")
        repo.commit({"two.ts": "2\n", "auth.ts": "2\n"})
        back(repo)
        repo.append("database.ts")
    assert task.own == {"one.ts": "A", "two.ts": "A", "auth.ts": "M", "database.ts": "M"}
    assert (task["one.ts"].place, task["two.ts"].place, task["database.ts"].place) == ("one", "two", "")
    assert "one" in task["auth.ts"].note
    assert "two" in task["auth.ts"].note


@LEFT
def test_a_branch_upon_a_branch_is_named_once(repo: Repo) -> None:
    with repo.task() as task:
        away(repo, "lower")
        repo.commit({"lower.ts": "1\n"})
        away(repo, "upper")
        repo.commit({"upper.ts": "1\n"})
        back(repo)
    assert places(task) == {"lower.ts": "upper", "upper.ts": "upper"}


@LEFT
def test_a_commit_on_a_branch_of_others_is_told_apart_from_their_work(repo: Repo) -> None:
    away(repo, "feature")
    repo.commit({"theirs.ts": "1\n", "auth.ts": lines("theirs")})
    back(repo)
    with repo.task() as task:
        back(repo, "feature")
        repo.commit({"mine.ts": "1\n", "auth.ts": "mine\n" + lines("theirs")})
        back(repo)
    assert task.own == task.net == {"mine.ts": "A", "auth.ts": "M"}
    assert b"-auth.ts" not in task.patch
    assert b"+mine\n" in task.patch


@LEFT
def test_work_on_the_branch_one_came_from_is_left_there(repo: Repo) -> None:
    away(repo, "feature")
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        repo.commit({"pre.ts": "2\n", "new.ts": "1\n"})
        back(repo)
    assert task.own == {"pre.ts": "M", "new.ts": "A"}
    assert places(task) == {"pre.ts": "feature", "new.ts": "feature"}


@LEFT
def test_a_pull_request_that_was_pushed_and_whose_branch_is_gone_here_is_found(repo: Repo) -> None:
    repo.clone("other")
    with repo.task() as task:
        away(repo)
        repo.commit({"new.ts": "1\n"})
        repo.git("push", "--quiet", "origin", "fix")
        back(repo)
        repo.git("branch", "--quiet", "-D", "fix")
    assert places(task) == {"new.ts": "origin/fix"}


@LEFT
@pytest.mark.parametrize("how", ["merge", "squash", "cherry-pick", "rebase", "squash and more", "files", "pulled"])
def test_a_branch_whose_work_head_has_is_not_left_over(repo: Repo, how: str) -> None:
    other = repo.clone("other")
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        away(repo)
        repo.commit({"auth.ts": "top\n" + lines("auth.ts"), "new.ts": "draft\n"})
        repo.commit({"new.ts": "1\n"})
        back(repo)
        if how == "merge":
            repo.git("merge", "--quiet", "--no-ff", "--no-edit", "fix")
        elif how.startswith("squash"):
            repo.commit({"auth.ts": lines("auth.ts") + "bottom\n"})
            repo.git("merge", "--quiet", "--squash", "fix")
            repo.commit()
        elif how == "cherry-pick":
            repo.commit({"auth.ts": lines("auth.ts") + "bottom\n"})
            repo.git("cherry-pick", "main..fix")
        elif how == "rebase":
            repo.git("branch", "work")
            repo.commit({"auth.ts": lines("auth.ts") + "bottom\n"})
            repo.git("rebase", "--quiet", "main", "fix")
            back(repo)
            repo.git("merge", "--quiet", "fix")
        elif how == "pulled":
            repo.git("push", "--quiet", "origin", "fix")
            other.git("merge", "--quiet", "--squash", "fix")
            other.commit()
            repo.git("pull", "--quiet", "--no-edit", "origin", "main")
        else:
            repo.git("checkout", "fix", "--", ".")
        if how == "squash and more":
            repo.commit({"new.ts": "2\n"})
    assert places(task) == {}
    assert set(task.own) == {"auth.ts", "new.ts"}
    assert not any("fix" in one.note for one in task.compared.changes)


@LEFT
@pytest.mark.parametrize("how", ["amend", "reset", "rebase", "deleted"])
def test_commits_that_were_replaced_or_dropped_are_not_left_over(repo: Repo, how: str) -> None:
    repo.commit({"pre.ts": "1\n"})
    with repo.task() as task:
        away(repo)
        repo.commit({"new.ts": "first\n", "gone.ts": "1\n"})
        if how == "amend":
            repo.git("rm", "--quiet", "gone.ts")
            repo.write("new.ts", "second\n")
            repo.git("commit", "--quiet", "--all", "--amend", "--message=again")
        elif how == "rebase":
            repo.git("rebase", "--quiet", "--onto", "HEAD~2", "HEAD~1")
            repo.git("rm", "--quiet", "gone.ts")
            repo.git("commit", "--quiet", "--amend", "--message=again")
        else:
            repo.git("reset", "--quiet", "--hard", "HEAD~1")
        back(repo)
        if how == "deleted":
            repo.git("branch", "--quiet", "-D", "fix")
    assert "gone.ts" not in task.net
    assert set(task.net) == ({"new.ts"} if how in {"amend", "rebase"} else set())


@LEFT
@KNOWN
@pytest.mark.parametrize("how", ["fetched", "tracked", "checked out", "made here"])
def test_branches_that_only_came_or_were_visited_are_not_left_over(repo: Repo, how: str) -> None:
    other = repo.clone("other")
    away(other, "theirs")
    other.commit({"theirs.ts": "1\n"})
    away(repo, "old")
    repo.commit({"old.ts": "1\n"})
    back(repo)
    with repo.task() as task:
        repo.git("fetch", "--quiet", "origin")
        if how == "fetched":
            repo.git("fetch", "--quiet", "origin", "theirs:local")
        elif how == "tracked":
            repo.git("switch", "--quiet", "theirs")
        elif how == "checked out":
            back(repo, "old")
        else:
            repo.git("branch", "again", "old")
        back(repo)
        repo.append("auth.ts")
    assert task.net == {"auth.ts": "M"}
    assert task.warnings == []


@LEFT
def test_commits_of_another_work_tree_are_not_this_ones(repo: Repo) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    linked = Repo(repo.path.parent / "linked", repo.engine)
    with repo.task() as task:
        linked.commit({"side.ts": "1\n"})
        away(repo)
        repo.commit({"new.ts": "1\n"})
        back(repo)
    assert places(task) == {"new.ts": "fix"}


@LEFT
def test_work_on_a_branch_and_in_the_tree_is_reported_as_in_the_tree_and_names_the_branch(repo: Repo) -> None:
    with repo.task() as task:
        away(repo)
        repo.commit({"auth.ts": "on the branch\n"})
        back(repo)
        repo.write("auth.ts", "here\n")
    assert task.own == {"auth.ts": "M"}
    assert b"+here\n" in task.patch
    assert "another version is on branch fix" in task["auth.ts"].note
    assert places(task) == {}


@LEFT
def test_what_was_dirty_before_and_was_committed_elsewhere_with_more_is_reported_with_the_more(repo: Repo) -> None:
    repo.append("auth.ts", "of a person\n")
    with repo.task() as task:
        away(repo)
        repo.append("auth.ts", "mine\n")
        repo.commit()
        back(repo)
    assert places(task) == {"auth.ts": "fix"}
    assert b"+mine\n" in task.patch
    assert b"+of a person" not in task.patch


@LEFT
@KNOWN
def test_without_a_log_of_head_the_tips_of_branches_are_compared_and_the_answer_says_so(repo: Repo) -> None:
    other = repo.clone("other")
    other.git("config", "user.email", "somebody@example.invalid")
    away(other, "theirs")
    other.commit({"theirs.ts": "1\n"})
    repo.git("branch", "old")
    back(repo, "old")
    repo.commit({"old.ts": "1\n"})
    back(repo)
    repo.git("config", "core.logAllRefUpdates", "false")
    for log in (repo.path / ".git/logs").rglob("*"):
        if log.is_file():
            log.unlink()
    with repo.task() as task:
        repo.git("fetch", "--quiet", "origin", "theirs:local")
        away(repo)
        repo.commit({"new.ts": "1\n"})
        back(repo, "old")
        repo.commit({"old.ts": "2\n"})
        back(repo)
    assert places(task) == {"new.ts": "fix", "old.ts": "old"}
    assert any("keeps no log" in said for said in task.warnings)


@LEFT
@KNOWN
def test_work_on_a_branch_is_in_the_interval_in_which_it_was_committed(repo: Repo) -> None:
    repo.engine.take("1", repo.tree)
    away(repo)
    repo.commit({"new.ts": "1\n"})
    back(repo)
    repo.engine.take("2", repo.tree)
    stage(repo, "Makefile", EVIL)
    commit_staged(repo)
    repo.engine.take("3", repo.tree)
    repo.append("auth.ts")
    repo.engine.take("4", repo.tree)
    compared = repo.engine.compare(repo.tree, ["1", "2", "3", "4"])
    intervals = [{path for path in part if path in {"Makefile", "new.ts"}} for part in compared.touched]
    assert intervals == [{"new.ts"}, {"Makefile"}, set()]


@LEFT
def test_work_put_on_the_stash_is_mentioned(repo: Repo) -> None:
    repo.append("auth.ts", "earlier\n")
    repo.git("stash", "push", "--quiet")
    with repo.task() as task:
        repo.append("auth.ts")
        repo.git("stash", "push", "--quiet")
    assert task.net == {}
    assert any("stash" in said for said in task.warnings)
    with repo.task("second") as second:
        repo.append("database.ts")
    assert second.warnings == []


@LEFT
def test_a_branch_that_was_taken_back_is_named_and_no_other_that_has_the_commit(repo: Repo) -> None:
    away(repo, "feature")
    repo.commit({"one.ts": "1\n"})
    repo.commit({"two.ts": "2\n"})
    away(repo, "higher")
    repo.commit({"three.ts": "3\n"})
    back(repo, "feature")
    with repo.task() as task:
        repo.git("reset", "--quiet", "--hard", "HEAD~1")
        back(repo)
    assert "higher" not in places(task).values()


@LEFT
def test_a_branch_with_a_name_that_is_no_text_is_named(repo: Repo) -> None:
    with repo.task() as task:
        away(repo, os.fsdecode(b"fi\xffx"))
        repo.commit({"new.ts": "1\n"})
        back(repo)
    assert task["new.ts"].note == 'on branch "fi\\377x", not on main'


@LEFT
@pytest.mark.parametrize("how", ["left", "picked", "named", "amended"])
def test_a_commit_made_on_no_branch_and_left_is_warned_of(repo: Repo, how: str) -> None:
    with repo.task() as task:
        repo.git("checkout", "--quiet", "--detach")
        made = repo.commit({"new.ts": "1\n"})
        if how == "amended":
            repo.git("commit", "--quiet", "--amend", "--message=again")
            repo.git("switch", "--quiet", "--create", "kept")
        back(repo)
        if how == "picked":
            repo.git("cherry-pick", made)
        if how == "named":
            repo.git("branch", "kept", made)
    assert [said for said in task.warnings if "on no branch" in said] == (
        [f"commit {made[:12]} is on no branch, and HEAD has left it: `git branch <name> {made[:12]}` keeps it"]
        if how == "left"
        else []
    )
    assert places(task) == ({"new.ts": "kept"} if how in {"named", "amended"} else {})
