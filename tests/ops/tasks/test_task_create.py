from __future__ import annotations

from typing import Any

import pytest

from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:create:defaults", "task:id:number", "style:004:camel")
def test_a_title_is_enough(board: Board) -> None:
    made = board.call("task_create", title="Implement authentication")
    assert made == {
        "id": 1,
        "title": "Implement authentication",
        "status": "open",
        "priority": "medium",
        "assignee": None,
        "type": "task",
        "labels": [],
        "ready": True,
        "updatedAt": "2025-01-15T10:00:00Z",
    }


@pytest.mark.proves("task:create:defaults")
def test_everything_that_is_said_can_be_read_back(board: Board) -> None:
    board.create("first")
    said: Any = {
        "description": "JWT\nwith `refresh`",
        "priority": "high",
        "type": "feature",
        "assignee": "coder",
        "assigneeType": "ai",
        "complexity": 7,
        "areas": ["auth"],
        "scope": {"write": ["src/auth/**"], "exclude": ["**/*.env"]},
        "budget": {"tokens": 5000, "cost": 1.5},
    }
    check = {"label": "tests", "command": ["make", "test"], "required": False}
    number = board.create("second", **said, labels="auth, security,auth,", dependsOn=["task-1"], checks=[check])
    found = board.get(number)
    assert {name: found[name] for name in said} == said
    assert found["checks"] == [{**check, "timeout": 600}]
    assert (found["labels"], found["dependsOn"], found["waitingFor"]) == (["auth", "security"], [1], [1])
    assert found["assigneeName"] == "coder"


@pytest.mark.proves("task:create:defaults")
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"title": " "}, "title"),
        ({"priority": "urgent"}, "priority"),
        ({"type": "epic"}, "type"),
        ({"assigneeType": "robot"}, "assigneeType"),
        ({"complexity": 11}, "complexity"),
        ({"labels": "x" * 101}, "labels"),
        ({"scope": {"writes": []}}, "scope.writes"),
        ({"scope": {"write": [""]}}, "scope.write"),
        ({"checks": [{"label": "x", "command": []}]}, "checks"),
        ({"checks": [{"command": ["make"]}]}, "checks[0].label"),
        ({"budget": {"tokens": 0}}, "budget.tokens"),
        ({"budget": {"money": 1}}, "budget.money"),
        ({"status": "done"}, "status"),
    ],
)
def test_what_it_cannot_be_is_refused_by_name(board: Board, wrong: dict[str, Any], field: str) -> None:
    refusal = board.refused("task_create", **{"title": "x", **wrong})
    assert (refusal.kind, refusal.data["field"]) == ("invalid", field)
    assert board.call("task_list") == {"tasks": []}


@pytest.mark.parametrize(
    "title", ["'; rm -rf ~ #", "$(id)", "a\nb", "`x`", "PROMPT", "../../etc", "\u202eevil", "界" * 500]
)
def test_a_title_is_kept_as_it_is(board: Board, title: str) -> None:
    assert board.get(board.create(title, description=title * 3))["title"] == title


def test_labels_may_come_as_a_list(board: Board) -> None:
    assert board.get(board.create(labels=["a", "b"]))["labels"] == ["a", "b"]
    assert board.refused("task_create", title="x", labels=["a", 1]).data["field"] == "labels[1]"


def test_a_subtask_belongs_to_the_workflow_of_its_parent(board: Board) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    other = board.call("start_workflow", name="other")["workflow_id"]
    parent = board.create("parent", workflowId=workflow)
    child = board.create("child", parentId=f"task-{parent}")
    assert (board.get(child)["parentId"], board.get(child)["workflowId"]) == (parent, workflow)
    assert board.refused("task_create", title="x", parentId=parent, workflowId=other).data["field"] == "workflowId"
    assert board.refused("task_create", title="x", parentId=99).kind == "not_found"
    assert board.refused("task_create", title="x", parentId=child, dependsOn=[parent]).data["field"] == "dependsOn"


def test_what_is_over_gets_no_more_subtasks(board: Board) -> None:
    parent = board.create("parent")
    board.call("task_cancel", id=parent)
    assert board.refused("task_create", title="x", parentId=parent).kind == "conflict"


def test_a_workflow_that_had_ended_by_itself_goes_on(board: Board) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    board.call("task_cancel", id=board.create("a", workflowId=workflow))
    assert board.call("workflow_get", workflow_id=workflow)["status"] == "completed"
    board.create("b", workflowId=workflow)
    assert board.call("workflow_get", workflow_id=workflow)["status"] == "in_progress"


def test_it_waits_only_for_what_is_not_over(board: Board) -> None:
    first, second = board.create("first"), board.create("second")
    board.call("task_cancel", id=first)
    number = board.create("third", dependsOn=[first, second, second])
    assert (board.get(number)["dependsOn"], board.get(number)["waitingFor"]) == ([first, second], [second])
    assert board.get(second)["blocks"] == [number]
    assert board.refused("task_create", title="x", dependsOn=[99]).kind == "not_found"


def test_it_is_told_as_created_not_as_started(board: Board) -> None:
    board.create("plan it")
    assert board.call("event_list")["events"][0]["text"] == "task-1 plan it created"


def test_undoing_it_leaves_nothing_that_waits(board: Board) -> None:
    first = board.create("first")
    board.create("second", dependsOn=[first])
    board.call("ledger_undo")
    assert "blocks" not in board.get(first)
    assert [row["id"] for row in board.call("task_list")["tasks"]] == [first]
