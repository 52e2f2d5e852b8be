from __future__ import annotations

from typing import Any

import pytest

from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:get:details", "resource:task")
def test_the_fields_of_the_document_are_there_and_no_sessions(board: Board) -> None:
    number = board.create("Implement it", description="JWT", priority="high", type="feature", assignee="coder")
    board.call("task_update", id=number, assigneeType="ai")
    session = board.start(number)
    board.end(session, exit_code=1)
    board.call("session_select", sessionId=session)
    found = board.call("task_get", id=number)
    assert found == found | {
        "id": number,
        "title": "Implement it",
        "description": "JWT",
        "status": "failed",
        "priority": "high",
        "type": "feature",
        "assigneeType": "ai",
        "assigneeName": "coder",
        "selectedSessionId": session,
        "createdAt": "2025-01-15T10:00:00Z",
        "updatedAt": "2025-01-15T10:00:00Z",
    }
    assert not [name for name in found if name.startswith("session")]


def test_what_is_absent_is_null(board: Board) -> None:
    found = board.get(board.create())
    assert [found[name] for name in ("assignee", "assigneeName", "assigneeType", "selectedSessionId")] == [None] * 4


@pytest.mark.proves("task:id:whole")
@pytest.mark.parametrize("wrong", [1.5, float("nan"), -1, 0, "x", "session-1", True, [1], {}])
def test_an_id_that_is_none_is_refused(board: Board, wrong: Any) -> None:
    board.create()
    assert board.refused("task_get", id=wrong).kind == "invalid"


@pytest.mark.proves("task:get:details")
def test_an_unknown_task_is_not_found(board: Board) -> None:
    refusal = board.refused("task_get", id=99)
    assert (refusal.kind, refusal.data) == ("not_found", {"task_id": "99"})


def test_it_answers_to_its_number_and_its_name(board: Board) -> None:
    number = board.create()
    for name in (number, str(number), f"task-{number}", f"task://{number}"):
        assert board.call("task_get", id=name)["id"] == number


def test_a_long_description_comes_in_pages(board: Board) -> None:
    text = "".join(f"{line}: 界\n" for line in range(10_000))
    number = board.create(description=text)
    page = board.call("task_get", id=number)
    read = page["description"]
    while "nextOffset" in page:
        page = board.call("task_get", id=number, offset=page["nextOffset"])
        read += page["description"]
    assert read == text


@pytest.mark.proves("task:one-model")
def test_it_shows_a_task_of_start_task(board: Board) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    started = board.call("start_task", workflow_id=workflow, name="Track it", goal="g")["task_id"]
    found = board.call("task_get", id=started)
    assert (found["title"], found["description"], found["status"]) == ("Track it", "g", "in_progress")
