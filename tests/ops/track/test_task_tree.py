from __future__ import annotations

import json

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from tests.ops.track.conftest import Work


@pytest.mark.proves("track:tree:read", "track:flow:subtasks")
def test_tasks_stand_under_their_parents_with_what_was_logged(work: Work, clock: Clock) -> None:
    main = work.start("Implement authentication")
    part = work.start("Setup JWT middleware", parent=main)
    work.write("a.ts", "b.ts")
    said = {"category": "other", "question": "q", "chosen": "c", "reasoning": "r"}
    work.call("log_decision", task_id=part, **said)
    work.call("log_issue", task_id=part, type="other", description="d", resolution="r", requires_human_review=True)
    work.call("log_milestone", task_id=main, message="half", progress=50)
    clock.turn(seconds=30)
    work.complete(part, "partial_success")
    work.start("Create login route", parent=main)
    assert work.call("task_tree") == {
        "workflow_id": work.workflow_id,
        "name": "Add authentication",
        "status": "in_progress",
        "tasks": [
            {
                "task_id": "task-1",
                "name": "Implement authentication",
                "status": "in_progress",
                "duration_seconds": 30,
                "milestones": 1,
                "progress": 50,
                "children": [
                    {
                        "task_id": "task-2",
                        "name": "Setup JWT middleware",
                        "status": "partial_success",
                        "duration_seconds": 30,
                        "files": 2,
                        "open_reviews": 1,
                        "issues": 1,
                        "decisions": 1,
                    },
                    {
                        "task_id": "task-3",
                        "name": "Create login route",
                        "status": "in_progress",
                        "duration_seconds": 0,
                    },
                ],
            }
        ],
    }


def test_the_newest_workflow_in_progress_is_shown_else_the_newest(work: Work) -> None:
    work.start("old")
    newer = work.call("start_workflow", name="newer")["workflow_id"]
    assert work.call("task_tree")["workflow_id"] == newer
    work.call("complete_workflow", workflow_id=newer)
    assert work.call("task_tree")["workflow_id"] == work.workflow_id
    work.complete("task-1")
    assert work.call("task_tree")["workflow_id"] == newer
    assert work.call("task_tree", workflow_id=work.workflow_id)["tasks"][0]["name"] == "old"
    with pytest.raises(NotFound, match="wf-nope"):
        work.call("task_tree", workflow_id="wf-nope")


def test_where_nothing_was_started_there_are_no_tasks(work: Work) -> None:
    work.call("ledger_undo")
    assert work.call("task_tree") == {"tasks": []}


@pytest.mark.proves("ledger:answer:size")
def test_a_tree_that_is_too_long_is_cut_and_says_by_how_much(work: Work) -> None:
    parent = None
    for _ in range(150):
        parent = work.start("n" * 200, parent=parent)
    answer = work.call("task_tree")
    assert len(json.dumps(answer)) < 40_000
    depth, rows = 0, answer["tasks"]
    while rows:
        depth, rows = depth + 1, rows[0].get("children")
    assert depth + answer["left_out"] == 150
