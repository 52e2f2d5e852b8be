from __future__ import annotations

import pytest

from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:status:derived")
def test_a_cancelled_task_is_open_again_and_blocks_again(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    board.call("task_cancel", id=first, reason="dropped")
    assert board.call("task_reopen", id=first)["status"] == "open"
    assert "cancelReason" not in board.get(first)
    assert board.get(second)["waitingFor"] == [first]
    assert board.next()["task"]["id"] == first
    assert board.next()["task"] is None


def test_a_failed_task_is_handed_out_again(board: Board) -> None:
    number = board.create()
    board.end(board.start(number), exit_code=1)
    assert board.get(number)["status"] == "failed"
    assert board.next()["task"] is None
    assert board.call("task_reopen", id=number)["ready"]
    claim = board.next()
    assert claim["task"]["id"] == number
    session = board.start(number, epoch=claim["epoch"])
    assert board.get(number)["status"] == "in_progress"
    board.end(session, exit_code=1)
    assert board.next()["task"] is None


def test_a_failed_task_is_told_to_be_tried_again(board: Board) -> None:
    number = board.create()
    board.end(board.start(number), exit_code=1)
    answer = board.call("task_reopen", id=number)
    assert (answer["status"], answer["retry"]) == ("failed", True)
    assert "task_next" in answer["hint"]
    assert "failed until somebody begins" in answer["hint"]
    assert board.call("task_list")["tasks"][0]["retry"]
    assert board.get(number)["retry"]
    assert board.call("task_reopen", id=number) == answer
    board.start(number)
    assert "retry" not in board.get(number)


def test_what_neither_failed_nor_was_cancelled_is_refused(board: Board) -> None:
    number = board.create()
    assert board.refused("task_reopen", id=number).kind == "conflict"
    board.end(board.start(number))
    assert board.refused("task_reopen", id=number).kind == "conflict"


def test_it_waits_for_what_is_not_done_by_then(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    board.call("task_cancel", id=second)
    board.end(board.start(first))
    assert board.call("task_reopen", id=second)["ready"]


def test_its_workflow_goes_on(board: Board) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    number = board.create(workflowId=workflow)
    board.call("task_cancel", id=number)
    board.call("task_reopen", id=number)
    assert board.call("workflow_get", workflow_id=workflow)["status"] == "in_progress"
