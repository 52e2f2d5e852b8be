"""What people are asked, in words that need nothing else beside them."""

from __future__ import annotations

import re

import pytest

from deedlog.core import question
from deedlog.core.task import Session, Task

TASK = Task(id="t", number=5, name="Add a\nlogin", goal="g", created_at=0, holder="bot", lease_until=9)
SESSION = Session(
    id="s",
    number=3,
    task_id="t",
    actor="bot",
    started_at=0,
    target="main",
    worktree=".deedlog/worktrees/task-5",
    outcome={"summary": "It has one now."},
)
MANY = [f"file-{number}" for number in range(7)]
ASKED = {
    "May “Add a login” also change a.md? It is outside of src/** and docs.": question.outside(
        TASK, ["a.md"], ["src/**", "docs"]
    ),
    "May “Add a login” also change a.md and b.md? They are outside of its scope.": question.outside(
        TASK, ["a.md", "b.md"], []
    ),
    "Send “Add a login” back? It conflicts with main in 7 files, so nothing was merged: "
    "file-0, file-1, file-2, file-3, file-4 and 2 more": question.conflict(TASK, "main", MANY),
    "Send “Add a login” back? The check unit did not pass, so nothing was merged. It printed last: 2 failed": (
        question.checks(TASK, ["unit"], "one\n\x1b[31m2 failed\x1b[0m\n\n")
    ),
    "Send “Add a login” back? The checks unit and lint did not pass, so nothing was merged.": question.checks(
        TASK, ["unit", "lint"], ""
    ),
    "Does the work on “Add a login” answer the open comment on it?": question.commented(TASK, 1, 0),
    "Does the work on “Add a login” answer the 3 open comments on it? One of them came while it was being done.": (
        question.commented(TASK, 3, 1)
    ),
    "Try “Add a login” again? Its worker failed: its exit code was 3. Its work is in .deedlog/worktrees/task-5": (
        question.failed(TASK, SESSION, "its exit code was 3", [])
    ),
    "Is the work on “Add a login” right? Nobody can tell what it changed: the snapshot is gone": question.unknown(
        TASK, "the snapshot is gone"
    ),
    "What shall become of “Add a login”? It could not be merged: no room": question.in_the_way(
        TASK, "no room", of_merging=True
    ),
    "Give “Add a login” to others? bot claimed it and has said nothing since.": question.lapsed(TASK),
    "Merge “Add a login” into main? It has one now.": question.merge(TASK, SESSION, 2),
    "Is “Add a login” done? It changed nothing. It has one now.": question.merge(TASK, SESSION, 0),
}


@pytest.mark.proves("decide:question:plain")
@pytest.mark.parametrize(("expected", "asked"), ASKED.items())
def test_a_question_names_the_task_and_says_why_it_is_asked(expected: str, asked: str) -> None:
    assert asked == expected


@pytest.mark.proves("decide:question:plain")
@pytest.mark.parametrize("asked", ASKED.values())
def test_a_question_has_no_moments_operations_or_plurals_to_choose_from(asked: str) -> None:
    assert "?" in asked
    assert not re.search(r"\(s\)|\d{4}-\d\d-\d\dT|[a-z]+_[a-z]+", asked)
