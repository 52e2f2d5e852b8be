"""Bringing a session's commits into the target: all of it or nothing, and no tree is touched but by going forward."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound, Unavailable
from tests.engines.git.repo import scrubbed
from tests.engines.git.test_locks_and_cost import git_that
from tests.engines.git.worktrees.sessions import FILES, Merged, Place, Session, merge, numbered

WAYS = ("merge", "squash", "rebase")
EACH = pytest.mark.parametrize("how", WAYS)


@pytest.fixture
def session(place: Place) -> Session:
    """With two commits by somebody else."""
    session = place.make()
    for number, files in enumerate(({"a.py": numbered("a.py") + "one\n"}, {"n.py": "1\n"})):
        for path, text in files.items():
            session.write(path, text)
        session.git("add", "--all")
        session.git("commit", "--quiet", "--author=Ä Worker <w@example.invalid>", f"--message=step {number}\n\nwhy")
    return session


def bring(session: Session, how: str, message: str = "brought\n\nbody", target: str = "main") -> Merged:
    return merge(session.place.trees, session.branch, session.base, target, how, message)


def moved_on(place: Place) -> None:
    place.repo.commit({"a.py": "first\n" + numbered("a.py"), "others.py": "1\n"})


def everything(place: Place) -> tuple[str, ...]:
    """Refs, trees and index of the main tree."""
    return place.repo.git("for-each-ref"), place.repo.git("status", "--porcelain=v2"), str(place.files())


@EACH
def test_the_target_gets_the_work_and_the_main_tree_its_files(place: Place, session: Session, how: str) -> None:
    moved_on(place)
    onto = place.repo.head()
    done = bring(session, how)
    assert done == Merged(commit=place.repo.head(), how=how)
    assert place.files()["a.py"] == "first\n" + numbered("a.py") + "one\n"
    assert place.repo.read("n.py") == b"1\n"
    assert place.repo.git("status", "--porcelain") == ""
    parents = place.repo.git("log", "-1", "--format=%P").split()
    assert parents == {"merge": [onto, session.head()], "squash": [onto]}.get(how, parents)
    told = ["step 1", "step 0"] if how == "rebase" else ["brought"]
    assert place.log()[: len(told)] == told
    assert session.changed() == ""


@EACH
def test_it_is_recognised_afterwards_and_nothing_is_brought_twice(place: Place, session: Session, how: str) -> None:
    moved_on(place)
    done = bring(session, how)
    assert session.how_merged() == how
    for again in WAYS:
        assert bring(session, again) == Merged(commit=done.commit)


@EACH
def test_a_target_that_did_not_move_gets_it_too(place: Place, session: Session, how: str) -> None:
    assert bring(session, how).how == how
    if how == "rebase":
        assert place.repo.head() == session.head()
    if how == "merge":
        assert len(place.repo.git("log", "-1", "--format=%P").split()) == 2


def test_authors_and_messages_stay(place: Place, session: Session) -> None:
    moved_on(place)
    bring(session, "rebase")
    form = "--format=%an|%ae|%at|%B"
    assert place.repo.git("log", "-2", form) == session.git("log", "-2", form)
    assert place.repo.git("log", "-1", "--format=%cn").strip() == "Tester"


def test_a_squash_is_its_authors_and_has_the_message(place: Place, session: Session) -> None:
    bring(session, "squash", "all of it\n\nCo-authored-by: X <x@example.invalid>")
    assert place.repo.git("log", "-1", "--format=%an").strip() == "Ä Worker"
    assert place.repo.git("log", "-1", "--format=%B").strip().endswith("Co-authored-by: X <x@example.invalid>")


@pytest.mark.proves("worker:merge:whole")
@EACH
def test_in_a_conflict_nothing_changes_and_the_paths_are_named(place: Place, how: str) -> None:
    session = place.make()
    session.commit({"n.py": "1\n"})
    session.commit({"a.py": "mine\n", "src/c.py": "mine\n"})
    place.repo.commit({"a.py": "theirs\n", "src/c.py": "theirs\n"})
    before = everything(place)
    done = bring(session, how)
    assert done == Merged(conflicts=["a.py", "src/c.py"])
    assert everything(place) == before
    assert place.leftovers() == []


@EACH
def test_odd_names_in_conflict_are_told_as_they_are(place: Place, how: str) -> None:
    name = 'new\nline é "q".py'
    session = place.make()
    session.commit({name: "mine\n"})
    place.repo.commit({name: "theirs\n"})
    assert bring(session, how).conflicts == [name]


@EACH
def test_deleted_here_and_changed_there_is_a_conflict(place: Place, how: str) -> None:
    session = place.make()
    session.delete("a.py")
    session.commit()
    place.repo.commit({"a.py": "theirs\n"})
    assert bring(session, how).conflicts == ["a.py"]


@pytest.mark.proves("worker:merge:whole")
@EACH
def test_local_changes_in_the_way_are_named_and_kept(place: Place, session: Session, how: str) -> None:
    place.repo.append("a.py", "local\n")
    place.repo.write("n.py", "untracked\n")
    before = everything(place)
    with pytest.raises(Conflict) as refused:
        bring(session, how)
    assert refused.value.data["paths"] == ["a.py", "n.py"]
    assert everything(place) == before
    assert place.repo.read("n.py") == b"untracked\n"


def test_an_ignored_file_in_the_way_is_kept(place: Place, session: Session) -> None:
    place.repo.write(".git/info/exclude", "n.py\n")
    place.repo.write("n.py", "mine\n")
    with pytest.raises(Conflict) as refused:
        bring(session, "merge")
    assert refused.value.data["paths"] == ["n.py"]
    assert place.repo.read("n.py") == b"mine\n"


def test_a_folder_in_the_place_of_a_file_is_kept(place: Place, session: Session) -> None:
    place.repo.write("n.py/inner", "mine\n")
    with pytest.raises(Conflict) as refused:
        bring(session, "merge")
    assert refused.value.data["paths"] == ["n.py/inner"]


@EACH
def test_other_local_changes_stay_as_they_are(place: Place, session: Session, how: str) -> None:
    place.repo.append("b.py", "local\n")
    place.repo.append("src/c.py", "staged\n")
    place.repo.git("add", "src/c.py")
    place.repo.write("mine.py")
    before = place.repo.git("status", "--porcelain=v2")
    assert bring(session, how).how == how
    assert place.repo.git("status", "--porcelain=v2") == before


@EACH
def test_a_target_that_is_checked_out_nowhere_just_moves(place: Place, session: Session, how: str) -> None:
    place.repo.git("switch", "--quiet", "--create", "elsewhere")
    before = place.repo.git("status", "--porcelain=v2", "--branch")
    done = bring(session, how)
    assert place.repo.git("rev-parse", "main").strip() == done.commit
    assert place.files()["n.py"] == "1\n"
    assert place.repo.git("status", "--porcelain=v2", "--branch") == before
    assert "deedlog" in place.repo.git("reflog", "show", "-1", "main") or how == "merge"


@EACH
def test_a_target_in_another_tree_moves_there(place: Place, session: Session, how: str) -> None:
    place.repo.git("switch", "--quiet", "--create", "elsewhere")
    place.repo.git("worktree", "add", "--quiet", "../linked", "main")
    assert bring(session, how).how == how
    linked = place.repo.path.parent / "linked"
    assert (linked / "n.py").read_text() == "1\n"
    assert place.repo.git("-C", str(linked), "status", "--porcelain") == ""
    assert not (place.repo.path / "n.py").exists()


def test_a_target_whose_tree_was_deleted_just_moves(place: Place, session: Session) -> None:
    place.repo.git("branch", "other")
    place.repo.git("worktree", "add", "--quiet", "../linked", "other")
    place.repo.git("-C", str(place.repo.path.parent), "version")
    for path in sorted((place.repo.path.parent / "linked").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (place.repo.path.parent / "linked").rmdir()
    assert bring(session, "merge", target="other").how == "merge"


def test_a_target_in_several_trees_is_refused(place: Place, session: Session) -> None:
    place.repo.git("worktree", "add", "--quiet", "--force", "../linked", "main")
    before = everything(place)
    with pytest.raises(Conflict):
        bring(session, "merge")
    assert everything(place) == before


@pytest.mark.parametrize("words", [("merge", "other"), ("rebase", "other"), ("cherry-pick", "other")])
def test_while_somebody_merges_or_rebases_the_target_nothing_moves(
    place: Place, session: Session, words: tuple[str, ...]
) -> None:
    place.repo.git("switch", "--quiet", "--create", "other")
    place.repo.commit({"b.py": "other\n"})
    place.repo.git("switch", "--quiet", "main")
    place.repo.commit({"b.py": "main\n"})
    place.repo.git(*words, check=False)
    before = everything(place)
    with pytest.raises(Conflict) as refused:
        bring(session, "merge")
    assert words[0] in refused.value.message or "rebased" in refused.value.message
    assert everything(place) == before


@EACH
def test_what_somebody_moves_meanwhile_is_not_lost(
    place: Place, session: Session, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit lands in the target after the merge was computed, twice."""
    place.repo.git("switch", "--quiet", "--create", "elsewhere")
    place.repo.git("worktree", "add", "--quiet", "../linked", "main")
    script = f"""
case "$*" in *"--ff-only"*)
  n=$(ls '{tmp_path}' | grep -c raced-)
  if [ "$n" -lt 2 ]; then
    touch '{tmp_path}'/raced-$n
    echo $n > ../linked/raced-$n
    env -u GIT_DIR -u GIT_WORK_TREE "$GIT" -C ../linked add raced-$n
    env -u GIT_DIR -u GIT_WORK_TREE "$GIT" -C ../linked commit --quiet -m raced-$n
  fi;;
esac
exec "$GIT" "$@"
"""
    monkeypatch.chdir(place.repo.path)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", git_that(tmp_path / "bin", script))
    done = bring(session, how)
    assert done.how == how
    assert {"raced-0", "raced-1", "n.py"} <= set(place.files())


def test_a_lock_that_is_held_for_a_moment_is_waited_for(
    place: Place, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = place.repo.path / ".git" / "index.lock"
    script = f"""
case "$*" in *"--ff-only"*)
  if [ ! -e '{tmp_path}/held' ]; then touch '{tmp_path}/held' '{lock}'; else rm -f '{lock}'; fi;;
esac
exec "$GIT" "$@"
"""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", git_that(tmp_path / "bin", script))
    assert bring(session, "merge").how == "merge"
    assert (tmp_path / "held").exists()


def test_git_that_cannot_merge_beside_a_tree_is_named(
    place: Place, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        'case "$*" in *"merge-tree"*) exit 129;; *version*) echo "git version 2.30.1"; exit;; esac\nexec "$GIT" "$@"\n'
    )
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", git_that(tmp_path / "bin", script))
    before = everything(place)
    with pytest.raises(Unavailable) as refused:
        bring(session, "merge")
    assert "2.38" in refused.value.message
    assert "2.30.1" in refused.value.message
    assert everything(place) == before
    assert session.how_merged() == ""


def test_attributes_of_the_target_decide_how_files_are_merged(place: Place) -> None:
    place.repo.commit({".gitattributes": "CHANGELOG merge=union\n", "CHANGELOG": "old\n"})
    session = place.make()
    session.commit({"CHANGELOG": "old\nmine\n"})
    place.repo.commit({"CHANGELOG": "old\ntheirs\n"})
    assert bring(session, "squash").how == "squash"
    assert sorted(place.files()["CHANGELOG"].split()) == ["mine", "old", "theirs"]


def test_a_merge_driver_of_the_user_runs_beside_the_trees(place: Place, git_settings: Path, tmp_path: Path) -> None:
    driver = tmp_path / "driver"
    driver.write_text(f'#!/bin/sh\npwd > \'{tmp_path}/where\'\ncat "$2" >> "$1"\n')
    driver.chmod(driver.stat().st_mode | stat.S_IXUSR)
    with git_settings.open("a") as file:
        file.write(f'[merge "mine"]\ndriver = {driver} %A %B\n')
    place.repo.commit({".gitattributes": "x.lock merge=mine\n", "x.lock": "0\n"})
    session = place.make()
    session.commit({"x.lock": "mine\n"})
    place.repo.commit({"x.lock": "theirs\n"})
    assert bring(session, "merge").how == "merge"
    assert place.files()["x.lock"] == "theirs\nmine\n"
    assert ".scratch-" in (tmp_path / "where").read_text()
    assert place.leftovers() == []


def test_renames_are_followed(place: Place) -> None:
    session = place.make()
    session.git("mv", "a.py", "moved.py")
    session.commit()
    place.repo.commit({"a.py": "first\n" + numbered("a.py")})
    assert bring(session, "rebase").how == "rebase"
    assert place.files()["moved.py"] == "first\n" + numbered("a.py")
    assert "a.py" not in place.files()
    assert session.how_merged() in {"rebase", "squash"}


def test_nothing_to_bring_brings_nothing(place: Place) -> None:
    session = place.make()
    for how in WAYS:
        assert bring(session, how) == Merged(commit=session.base)
    session.git("commit", "--quiet", "--allow-empty", "--message=nothing")
    for how in WAYS:
        assert bring(session, how) == Merged(commit=session.base)
    assert place.repo.head() == session.base


def test_a_target_that_was_rewritten_does_not_get_back_what_it_was_rid_of(place: Place) -> None:
    place.repo.commit({"dropped.py": "1\n"})
    for how in ("squash", "rebase"):
        session = place.make(how)
        session.commit({f"{how}.py": "1\n"})
        session.commit({f"{how}-2.py": "1\n"})
    place.repo.git("reset", "--quiet", "--hard", "HEAD~1")
    place.repo.commit({"instead.py": "1\n"})
    for how in ("squash", "rebase"):
        base = place.repo.git("rev-parse", f"{how}-s1~2").strip()
        assert merge(place.trees, f"{how}-s1", base, "main", how, "m").how == how
    assert set(place.files()) == {*FILES, "instead.py", "squash.py", "squash-2.py", "rebase.py", "rebase-2.py"}


def test_a_rebase_loses_nothing_that_only_a_merge_has(place: Place) -> None:
    session = place.make()
    session.commit({"n.py": "1\n"})
    place.repo.commit({"others.py": "1\n"})
    session.git("merge", "--quiet", "--no-edit", "main")
    session.write("n.py", "changed in the merge\n")
    session.git("add", "n.py")
    session.git("commit", "--quiet", "--amend", "--no-edit")
    with pytest.raises(Conflict):
        bring(session, "rebase")
    assert bring(session, "squash").how == "squash"
    assert place.files()["n.py"] == "changed in the merge\n"


def test_a_rebase_leaves_out_merges_that_have_nothing_of_their_own(place: Place, session: Session) -> None:
    moved_on(place)
    session.git("merge", "--quiet", "--no-edit", "main")
    session.commit({"m.py": "1\n"})
    place.repo.commit({"later.py": "1\n"})
    assert bring(session, "rebase").how == "rebase"
    assert place.repo.git("rev-list", "--merges", "--count", "main").strip() == "0"
    assert {"n.py", "m.py", "later.py", "others.py"} <= set(place.files())


@pytest.mark.parametrize(("how", "message"), [("fast", "x"), ("", "x"), ("merge", "a\0b")])
def test_what_is_no_way_to_merge_is_refused(session: Session, how: str, message: str) -> None:
    with pytest.raises(Invalid):
        bring(session, how, message)


def test_a_branch_that_is_gone_is_refused(place: Place, session: Session) -> None:
    with pytest.raises(NotFound):
        bring(session, "merge", target="nowhere")
    with pytest.raises(NotFound):
        merge(place.trees, "nowhere", session.base, "main", "merge", "m")


def test_histories_without_a_common_commit_are_refused(place: Place) -> None:
    place.repo.git("checkout", "--quiet", "--orphan", "other")
    place.repo.commit({"x.py": "1\n"})
    place.repo.git("switch", "--quiet", "main")
    session = place.make()
    session.commit({"n.py": "1\n"})
    with pytest.raises(Conflict):
        bring(session, "merge", target="other")


def test_two_sessions_are_merged_at_the_same_time_and_none_is_lost(place: Place) -> None:
    sessions = [place.make(f"t{number}") for number in range(4)]
    for session in sessions:
        session.commit({f"{session.branch}.py": "1\n"})
    code = "import sys; from deedlog.git.worktrees import GitWorktrees as W; r, s, b, base, how = sys.argv[1:]; "
    code += "from tests.engines.git.worktrees.sessions import merge; "
    code += "print(merge(W(r, s), b, base, 'main', how, 'm').how)"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, place.repo.tree, str(place.state), one.branch, one.base, WAYS[number % 3]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**scrubbed(), "HOME": os.environ["HOME"]},
        )
        for number, one in enumerate(sessions)
    ]
    said = [process.communicate() for process in started]
    assert [error for _, error in said] == [b""] * 4
    assert {f"{session.branch}.py" for session in sessions} <= set(place.files())
    assert place.repo.git("status", "--porcelain") == ""
