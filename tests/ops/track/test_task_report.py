from __future__ import annotations

import json

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from tests.ops.track.conftest import Work


@pytest.mark.proves("track:tree:read")
def test_everything_about_a_task_is_in_its_report(in_git: Work, clock: Clock) -> None:
    main = in_git.start("Implement authentication")
    part = in_git.start("Setup JWT", parent=main, areas=["auth"])
    in_git.call("log_milestone", task_id=part, message="first")
    clock.turn(seconds=1)
    in_git.call("log_milestone", task_id=part, message="second")
    in_git.write("utils.ts")
    clock.turn(seconds=59)
    in_git.complete(part, metadata={"tests_status": "passed"})
    report = in_git.call("task_report", task_id=part)
    assert [milestone["message"] for milestone in report.pop("milestones")] == ["first", "second"]
    (review,) = report.pop("reviews")
    assert (review["reason"], review["status"]) == ("scope", "open")
    assert report == {
        "task_id": "task-2",
        "name": "Setup JWT",
        "status": "success",
        "goal": "g",
        "areas": ["auth"],
        "workflow_id": in_git.workflow_id,
        "workflow_name": "Add authentication",
        "parent_task_id": "task-1",
        "started_at": "2025-01-15T10:00:00Z",
        "ended_at": "2025-01-15T10:01:00Z",
        "duration_seconds": 60,
        "actor": "tester",
        "snapshot_id": in_git.git("rev-parse", "HEAD").strip(),
        "snapshot_type": "git",
        "branch": "main",
        "outcome": {"summary": "done"},
        "metadata": {"tests_status": "passed"},
        "counts": {"added": 1, "modified": 0, "deleted": 0, "lines_added": 1, "unexpected": 1},
        "verification": {
            "scope_match": False,
            "unexpected_files": ["utils.ts"],
            "warnings": ["⚠️ 1 file(s) modified outside declared scope (auth)"],
            "reasons": ["utils.ts: no declared area (auth) covers it"],
        },
    }
    subtask = {"task_id": "task-2", "name": "Setup JWT", "status": "success", "duration_seconds": 60, "files": 1}
    assert in_git.call("task_report", task_id=main)["subtasks"] == [subtask]


def test_a_running_task_has_no_end_yet(work: Work, clock: Clock) -> None:
    work.start()
    clock.turn(seconds=90)
    report = work.call("task_report", task_id="1")
    assert (report["status"], report["duration_seconds"]) == ("in_progress", 90)
    assert not {"ended_at", "outcome", "verification"} & set(report)


@pytest.mark.proves("ledger:answer:size")
def test_a_report_with_very_long_texts_has_all_of_them_shortened(work: Work) -> None:
    task_id = work.start()
    long = {"question": "q" * 2_000, "chosen": "c", "reasoning": "r" * 5_000, "trade_offs": "t" * 5_000}
    for _ in range(6):
        work.call("log_decision", task_id=task_id, category="other", **long)
    report = work.call("task_report", task_id=task_id)
    assert report["truncated"] is True
    assert len(report["decisions"]) == 6
    assert len(json.dumps(report)) < 40_000


def test_an_unknown_task_is_named_with_the_command_that_shows_them(work: Work) -> None:
    with pytest.raises(NotFound, match="no task 'task-5'") as refusal:
        work.call("task_report", task_id="task-5")
    assert refusal.value.hint == "task_list shows them"
