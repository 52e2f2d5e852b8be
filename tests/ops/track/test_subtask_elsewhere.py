"""Subtasks in work trees of their own: what the task merged of theirs is theirs, not somebody's."""

from __future__ import annotations

import pytest

from deedlog.testing import app_in
from deedlog.work import merged
from tests.ops.track.conftest import Work

pytestmark = pytest.mark.proves("track:change:arrived")


def elsewhere(work: Work, name: str) -> Work:
    """The same workflow, in another work tree on a branch of that name."""
    tree = work.tree.parent / name
    work.git("worktree", "add", "-q", str(tree))
    there = Work(app_in(str(work.tree.parent / "store"), tree=str(tree)), tree)
    there.workflow_id = work.workflow_id
    return there


def commit(work: Work, *paths: str) -> None:
    work.write(*paths)
    work.git("add", ".")
    work.git("commit", "-qm", "work")


def test_what_a_subtask_did_elsewhere_and_the_task_merged_is_the_subtask_s(in_git: Work) -> None:
    main = in_git.start("main", areas=["docs"])
    there = elsewhere(in_git, "there")
    part = there.start("part", parent=main, areas=["auth"])
    leaf = there.start("leaf", parent=part)
    commit(there, "leaf.ts")
    there.complete(leaf)
    commit(there, "auth.ts")
    there.complete(part)
    commit(there, "after.ts")
    in_git.git("merge", "-q", "there")
    in_git.write("docs/end.md")
    assert [row["by"] for row in in_git.call("task_changes", task_id=main)["changes"]] == [
        *("arrived", "subtask", "task", "subtask")
    ]
    answer = in_git.complete(main)
    assert answer["files_changed"]["added"] == ["auth.ts", "docs/end.md", "leaf.ts"]
    assert answer["in_subtasks"] == [{"path": "auth.ts", "task_id": part}, {"path": "leaf.ts", "task_id": leaf}]
    assert answer["arrived"] == ["after.ts"]
    assert answer["verification"] == {"scope_match": True, "unexpected_files": [], "warnings": []}
    patch = in_git.call("task_patch", task_id=main)
    assert patch["warnings"] == [
        f"left out: {path} (merged: the patch of the subtask has it)" for path in ("auth.ts", "leaf.ts")
    ]
    assert "auth.ts" not in patch["patch"]


def test_what_another_task_did_elsewhere_has_arrived(in_git: Work) -> None:
    main = in_git.start("main")
    there = elsewhere(in_git, "there")
    other = there.start("other")
    commit(there, "auth.ts")
    there.complete(other)
    in_git.git("merge", "-q", "there")
    assert in_git.complete(main)["arrived"] == ["auth.ts"]


def test_a_merged_file_the_task_changed_as_well_is_its_own(in_git: Work) -> None:
    main = in_git.start("main", areas=["docs"])
    there = elsewhere(in_git, "there")
    part = there.start("part", parent=main)
    commit(there, "auth.ts")
    there.complete(part)
    in_git.git("merge", "-q", "there")
    in_git.write("auth.ts", text="newer\n")
    answer = in_git.complete(main)
    assert answer["verification"]["unexpected_files"] == ["auth.ts"]
    assert "in_subtasks" not in answer


@pytest.mark.parametrize("limit", ["MOST_SUBTASKS", "MOST_FILES"])
def test_where_subtasks_did_too_much_to_look_through_it_is_said(
    in_git: Work, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(merged, limit, 1)
    main = in_git.start("main")
    there = elsewhere(in_git, "there")
    for name in ("a.ts", "b.ts"):
        part = there.start("part", parent=main)
        commit(there, name)
        there.complete(part)
    in_git.git("merge", "-q", "there")
    answer = in_git.complete(main)
    assert (answer["files_changed"]["added"], answer["arrived"]) == (["a.ts"], ["b.ts"])
    assert answer["verification"]["warnings"] == [
        "the subtasks of task-1 did too much to look through: some of what they did may be told as arrived"
    ]
