"""Whether a branch came into its target is recognised, however plain git brought it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.git.worktrees.sessions import Place, Session, merge, numbered


@pytest.fixture
def session(place: Place) -> Session:
    """With two commits, one of which renames a file."""
    session = place.make()
    session.commit({"a.py": numbered("a.py") + "one\n", "n.py": "1\n"})
    session.git("mv", "b.py", "renamed.py")
    session.commit({"src/c.py": "two\n" + numbered("src/c.py")})
    return session


def moved_on(place: Place) -> None:
    """The target gets commits of others, one of them in a file the session changed, too."""
    place.repo.commit({"others.py": "1\n"})
    place.repo.commit({"a.py": "first\n" + place.repo.read("a.py").decode()})


def merged(place: Place, branch: str) -> None:
    place.repo.git("merge", "--quiet", "--no-ff", "--no-edit", branch)


def forwarded(place: Place, branch: str) -> None:
    place.repo.git("merge", "--quiet", "--ff-only", branch)


def squashed(place: Place, branch: str) -> None:
    place.repo.git("merge", "--quiet", "--squash", branch)
    place.repo.git("commit", "--quiet", "--message=squashed elsewhere")


def picked(place: Place, branch: str) -> None:
    place.repo.git("cherry-pick", f"main..{branch}")


def rebased(place: Place, branch: str) -> None:
    place.repo.git("branch", "--quiet", "copy", branch)
    place.repo.git("rebase", "--quiet", "main", "copy")
    place.repo.git("switch", "--quiet", "main")
    place.repo.git("merge", "--quiet", "--ff-only", "copy")


WAYS = {
    "merge": (merged, "merge"),
    "squash": (squashed, "squash"),
    "cherry-pick": (picked, "rebase"),
    "rebase": (rebased, "rebase"),
}
EACH = pytest.mark.parametrize("way", WAYS)


@pytest.mark.proves("task:status:merged")
def test_a_fresh_branch_is_not_merged(place: Place) -> None:
    session = place.make()
    assert session.how_merged() == ""
    moved_on(place)
    assert session.how_merged() == ""


def test_work_that_is_not_committed_is_not_merged(place: Place) -> None:
    session = place.make()
    session.write("n.py")
    assert session.how_merged() == ""


def test_a_branch_that_only_followed_the_target_is_not_merged(place: Place) -> None:
    for words in (("merge", "--quiet", "main"), ("rebase", "--quiet", "main"), ("reset", "--quiet", "--hard", "main")):
        session = place.make(words[0])
        place.repo.commit({f"{words[0]}.py": "1\n"})
        session.git(*words)
        assert session.head() == place.repo.head() != session.base
        assert session.how_merged() == ""


def test_commits_that_are_nowhere_else_are_not_merged(place: Place, session: Session) -> None:
    assert session.how_merged() == ""
    moved_on(place)
    assert session.how_merged() == ""


@pytest.mark.proves("task:status:merged")
@EACH
def test_each_way_is_recognised(place: Place, session: Session, way: str) -> None:
    bring, told = WAYS[way]
    moved_on(place)
    bring(place, session.branch)
    assert session.how_merged() == told


def test_going_forward_is_a_merge(place: Place, session: Session) -> None:
    forwarded(place, session.branch)
    assert session.how_merged() == "merge"


@EACH
def test_it_stays_so_when_the_target_moves_on(place: Place, session: Session, way: str) -> None:
    bring, told = WAYS[way]
    moved_on(place)
    bring(place, session.branch)
    place.repo.commit({"a.py": "all new\n", "n.py": "another\n", "src/c.py": "x\n"})
    assert session.how_merged() == told


@EACH
def test_it_stays_so_when_it_is_reverted(place: Place, session: Session, way: str) -> None:
    bring, told = WAYS[way]
    moved_on(place)
    before = place.repo.head()
    bring(place, session.branch)
    place.repo.git("rm", "-r", "--quiet", ".")
    place.repo.git("checkout", before, "--", ".")
    place.repo.commit()
    assert session.how_merged() == told


@EACH
def test_conflicts_resolved_by_hand_are_recognised_by_what_git_wrote_down(place: Place, way: str) -> None:
    session = place.make()
    session.commit({"a.py": "mine\n", "n.py": "1\n"})
    session.commit({"m.py": "1\n"})
    place.repo.commit({"a.py": "theirs\n"})
    if way == "merge":
        place.repo.git("merge", session.branch, check=False)
    elif way == "squash":
        place.repo.git("merge", "--squash", session.branch, check=False)
    else:
        place.repo.git("cherry-pick", "-x", f"main..{session.branch}", check=False)
    place.repo.write("a.py", "both\n")
    place.repo.git("add", "a.py")
    if way in {"merge", "squash"}:
        place.repo.git("commit", "--quiet", "--no-edit")
    else:
        place.repo.git("-c", "core.editor=true", "cherry-pick", "--continue")
    assert session.how_merged() == WAYS[way][1]


def test_a_squash_with_other_changes_in_it_is_recognised(place: Place, session: Session) -> None:
    moved_on(place)
    place.repo.git("merge", "--quiet", "--squash", session.branch)
    place.repo.commit({"extra.py": "1\n"})
    place.repo.append("others.py")
    place.repo.commit()
    assert session.how_merged() == "squash"


@pytest.mark.parametrize("how", ["squash", "rebase"])
def test_what_arrived_in_renamed_files_is_recognised(place: Place, how: str) -> None:
    session = place.make()
    session.commit({"a.py": "first\n" + numbered("a.py")})
    session.git("mv", "b.py", "theirs.py")
    session.commit({"n.py": "1\n"})
    place.repo.git("mv", "a.py", "ours.py")
    place.repo.commit({"src/c.py": "x\n"})
    if how == "squash":
        squashed(place, session.branch)
    else:
        rebased(place, session.branch)
    place.repo.commit({"ours.py": "all new\n", "n.py": "2\n"})
    assert session.how_merged() == how


def test_a_commit_that_was_amended_after_it_was_picked_is_not_merged(place: Place) -> None:
    session = place.make()
    session.commit({"a.py": "first\n" + numbered("a.py")})
    place.repo.git("cherry-pick", session.branch)
    session.append("b.py")
    session.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    assert session.how_merged() == ""


def test_settings_of_the_user_do_not_change_what_is_found(place: Place, session: Session, git_settings: Path) -> None:
    with git_settings.open("a") as file:
        file.write("[log]\nshowSignature = true\nmailmap = true\n[diff]\nrenames = copies\nnoprefix = true\n")
        file.write("[color]\nui = always\n[core]\nabbrev = 5\n[merge]\nff = only\nconflictStyle = diff3\n")
    moved_on(place)
    assert session.how_merged() == ""
    merge(place.trees, session.branch, session.base, "main", "squash", "s")
    assert session.how_merged() == "squash"


def test_one_commit_alone_is_told_apart(place: Place) -> None:
    for way, told in (("squash", "squash"), ("cherry-pick", "rebase")):
        session = place.make(way)
        session.commit({f"{way}.py": "1\n"})
        place.repo.commit({f"before-{way}.py": "1\n"})
        if way == "squash":
            place.repo.git("merge", "--quiet", "--squash", session.branch)
            date = "--date=2001-01-01T00:00:00Z"
            place.repo.git("commit", "--quiet", date, "--message=squashed")
        else:
            place.repo.git("cherry-pick", session.branch)
        assert session.how_merged() == told


def test_half_of_it_is_not_all_of_it(place: Place, session: Session) -> None:
    moved_on(place)
    place.repo.git("cherry-pick", f"{session.branch}~1")
    assert session.how_merged() == ""
    place.repo.git("checkout", session.branch, "--", "src/c.py")
    place.repo.commit()
    assert session.how_merged() == ""


def test_new_commits_after_a_merge_are_not_merged(place: Place, session: Session) -> None:
    for bring in (merged, squashed):
        bring(place, session.branch)
        session.commit({f"after-{bring.__name__}.py": "1\n"})
        assert session.how_merged() == ""
        session.git("merge", "--quiet", "main")
        assert session.how_merged() == ""


def test_a_branch_that_took_the_target_in_after_its_squash_is_recognised(place: Place, session: Session) -> None:
    moved_on(place)
    squashed(place, session.branch)
    place.repo.commit({"later.py": "1\n"})
    session.git("merge", "--quiet", "--no-edit", "main")
    assert session.how_merged() == "squash"


def test_a_branch_that_took_the_target_in_before_its_squash_is_recognised(place: Place, session: Session) -> None:
    moved_on(place)
    session.git("merge", "--quiet", "--no-edit", "main")
    session.commit({"m.py": "1\n"})
    place.repo.commit({"later.py": "1\n"})
    squashed(place, session.branch)
    assert session.how_merged() == "squash"


def test_a_branch_that_was_rebased_by_its_worker_is_recognised(place: Place, session: Session) -> None:
    moved_on(place)
    session.git("rebase", "--quiet", "main")
    assert session.how_merged() == ""
    place.repo.commit({"later.py": "1\n"})
    squashed(place, session.branch)
    assert session.how_merged() == "squash"


def test_empty_commits_need_not_arrive(place: Place, session: Session) -> None:
    session.git("commit", "--quiet", "--allow-empty", "--message=nothing")
    moved_on(place)
    place.repo.git("cherry-pick", f"main..{session.branch}~1")
    assert session.how_merged() == "rebase"


def test_work_that_was_undone_again_is_not_merged_by_doing_nothing(place: Place) -> None:
    session = place.make()
    session.commit({"n.py": "1\n"})
    session.git("revert", "--no-edit", "HEAD")
    moved_on(place)
    assert session.how_merged() == ""
    merged(place, session.branch)
    assert session.how_merged() == "merge"


def test_only_empty_commits_are_merged_by_a_merge(place: Place) -> None:
    session = place.make()
    session.git("commit", "--quiet", "--allow-empty", "--message=nothing")
    moved_on(place)
    assert session.how_merged() == ""
    merged(place, session.branch)
    assert session.how_merged() == "merge"


def test_a_target_that_was_rewritten_is_looked_at_all_the_same(place: Place) -> None:
    place.repo.commit({"dropped.py": "1\n"})
    session = place.make()
    session.commit({"n.py": "1\n"})
    session.commit({"m.py": "1\n"})
    place.repo.git("reset", "--quiet", "--hard", "HEAD~1")
    place.repo.commit({"instead.py": "1\n"})
    assert session.how_merged() == ""
    place.repo.git("cherry-pick", f"{session.branch}~2..{session.branch}")
    assert session.how_merged() == "rebase"


def test_a_target_that_was_rewritten_and_squashed_into_is_recognised(place: Place) -> None:
    place.repo.commit({"dropped.py": "1\n"})
    session = place.make()
    session.commit({"n.py": "1\n"})
    session.commit({"m.py": "1\n"})
    place.repo.git("reset", "--quiet", "--hard", "HEAD~1")
    place.repo.commit({"instead.py": "1\n"})
    place.repo.commit({"n.py": "1\n", "m.py": "1\n"})
    assert session.how_merged() == "squash"


def test_without_the_log_of_a_branch_its_commits_count(place: Place, session: Session) -> None:
    place.repo.git("reflog", "expire", "--expire=all", "--all")
    assert session.how_merged() == ""
    merged(place, session.branch)
    assert session.how_merged() == "merge"


def test_what_is_gone_is_not_merged(place: Place, session: Session) -> None:
    assert place.trees.merged("nowhere", session.base, "main") == ""
    assert place.trees.merged(session.branch, session.base, "nowhere") == ""


def test_looking_leaves_no_trace_but_for_objects(place: Place, session: Session) -> None:
    moved_on(place)
    before = place.repo.git("for-each-ref"), place.repo.git("status", "--porcelain=v2", "--branch")
    session.how_merged()
    assert (place.repo.git("for-each-ref"), place.repo.git("status", "--porcelain=v2", "--branch")) == before
    assert place.leftovers() == []
