"""What the tracker says of tasks that were planned with task_create, with and without a workflow."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.testing import Clock
from tests.ops.track.conftest import Work


def planned(work: Work, title: str = "planned", **more: Any) -> str:
    return f"task-{work.call('task_create', title=title, **more)['id']}"


def test_a_planned_task_is_part_of_its_workflow(work: Work, clock: Clock) -> None:
    task = planned(work, workflowId=work.workflow_id)
    clock.turn(60)
    tree = work.call("task_tree", workflow_id=work.workflow_id)
    assert tree["tasks"] == [{"task_id": task, "name": "planned", "status": "open", "duration_seconds": 0}]
    assert work.call("workflow_get", workflow_id=work.workflow_id)["tasks"] == {"open": 1}


def test_a_workflow_does_not_end_by_itself_while_tasks_are_planned(work: Work) -> None:
    started = work.start()
    planned(work, workflowId=work.workflow_id)
    work.complete(started)
    assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"


def test_a_workflow_is_not_completed_while_tasks_are_planned(work: Work) -> None:
    task = planned(work, workflowId=work.workflow_id)
    with pytest.raises(Conflict) as refusal:
        work.call("complete_workflow", workflow_id=work.workflow_id)
    assert refusal.value.data["open_tasks"] == [task]
    assert "task_cancel" in refusal.value.hint


def test_a_workflow_that_failed_says_what_was_not_begun(work: Work) -> None:
    task = planned(work, workflowId=work.workflow_id)
    answer = work.call("complete_workflow", workflow_id=work.workflow_id, status="failed")
    assert task in answer["warnings"][0]
    work.call("session_start", taskId=task, agent="coder")
    assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"


def test_a_task_is_not_completed_while_parts_of_it_are_planned(work: Work) -> None:
    parent = work.start("parent")
    child = planned(work, parentId=parent)
    with pytest.raises(Conflict) as refusal:
        work.complete(parent)
    assert refusal.value.data["open_tasks"] == [child]
    work.call("task_cancel", id=child)
    work.complete(parent)


def test_a_report_needs_neither_a_workflow_nor_a_session(work: Work) -> None:
    task = planned(work, description="why")
    assert work.call("task_report", task_id=task) == {
        "task_id": task,
        "name": "planned",
        "status": "open",
        "goal": "why",
        "areas": [],
        "created_at": "2025-01-15T10:00:00Z",
        "duration_seconds": 0,
    }


def test_a_task_without_a_workflow_is_begun_by_session_start_and_completed(work: Work) -> None:
    task = planned(work, areas=["src"])
    work.call("session_start", taskId=task, agent="coder")
    work.write("src/a.py", "other/b.py")
    assert len(work.call("task_changes", task_id=task)["changes"]) == 2
    answer = work.complete(task)
    assert answer["files_changed"]["added"] == ["other/b.py", "src/a.py"]
    assert answer["verification"]["unexpected_files"] == ["other/b.py"]
    assert work.call("task_get", id=task)["status"] == "done"
    assert work.call("task_report", task_id=task)["status"] == "success"
    assert [row["task_id"] for row in work.call("review_list")["reviews"]] == [task]
    assert work.complete(task) == answer


def test_a_task_nobody_began_is_not_completed_and_has_no_changes(work: Work) -> None:
    task = planned(work)
    with pytest.raises(Conflict) as refusal:
        work.complete(task)
    assert "session_start" in refusal.value.hint
    for name in ("task_changes", "task_patch"):
        with pytest.raises(Conflict) as refusal:
            work.call(name, task_id=task)
        assert "nobody has worked" in refusal.value.message


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("log_decision", {"category": "other", "question": "q", "chosen": "c", "reasoning": "r"}),
        ("log_issue", {"type": "other", "description": "d", "resolution": "r", "requires_human_review": True}),
        ("log_milestone", {"message": "m"}),
    ],
)
def test_what_is_logged_on_a_planned_task_is_kept_with_a_word_about_it(work: Work, name: str, said: Any) -> None:
    task = planned(work)
    answer = work.call(name, task_id=task, **said)
    assert answer["warnings"] == [f"{task} is open: nobody is at work on it; this was recorded all the same"]
    report = work.call("task_report", task_id=task)
    assert sum(len(report.get(kind, [])) for kind in ("decisions", "issues", "milestones")) == 1


def test_without_any_workflow_the_tree_has_the_tasks_there_are(work: Work) -> None:
    work.call("ledger_undo")  # of the workflow
    parent = planned(work, "parent")
    child = planned(work, "child", parentId=parent)
    tree = work.call("task_tree")
    assert [node["task_id"] for node in tree["tasks"]] == [parent]
    assert [node["task_id"] for node in tree["tasks"][0]["children"]] == [child]
    assert "workflow_id" not in tree


def test_what_happens_to_a_planned_task_reads_well(work: Work) -> None:
    first = planned(work, "plan it")
    second = planned(work, "then this", dependsOn=[first])
    claim = work.call("task_next")
    work.call("task_heartbeat", id=first, epoch=claim["epoch"], leaseSeconds=60)
    work.call("task_release", id=first, epoch=claim["epoch"])
    work.call("task_update", id=first, priority="high")
    work.call("task_cancel", id=first)
    texts = [event["text"] for event in work.call("event_list")["events"]][1:]
    assert texts == [
        f"{first} plan it created",
        f"{first} plan it blocks 1 other task",
        f"{second} then this created",
        f"{first} plan it claimed by tester",
        f"{first} plan it held until 2025-01-15T10:01:00Z",
        f"{first} plan it given back",
        f"{first} plan it changed: priority",
        f"{first} plan it cancelled",
        f"{second} then this waits for no other tasks",
    ]
