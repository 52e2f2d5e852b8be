from __future__ import annotations

import pytest

from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:status:derived")
def test_a_cancelled_task_blocks_nobody_and_is_handed_out_to_nobody(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    answer = board.call("task_cancel", id=first, reason="dropped")
    assert answer == {"id": first, "status": "cancelled", "reason": "dropped", "unblocked": [second]}
    assert board.get(first)["cancelReason"] == "dropped"
    assert board.next()["task"]["id"] == second
    assert board.next()["task"] is None


def test_to_cancel_it_again_says_the_same(board: Board) -> None:
    number = board.create()
    board.call("task_cancel", id=number, reason="dropped")
    assert board.call("task_cancel", id=number)["reason"] == "dropped"


def test_what_is_being_worked_on_is_refused_with_the_way_out(board: Board) -> None:
    number = board.create()
    session = board.start(number)
    refusal = board.refused("task_cancel", id=number)
    assert (refusal.kind, refusal.data) == ("conflict", {"task_id": number, "session_id": session})
    assert "worker_stop" in refusal.hint
    board.end(session, exit_code=1)
    assert board.call("task_cancel", id=number)["status"] == "cancelled"


def test_what_is_done_stays_done(board: Board) -> None:
    number = board.create()
    board.end(board.start(number))
    assert board.refused("task_cancel", id=number).kind == "conflict"
    assert board.get(number)["status"] == "done"


def test_open_subtasks_are_named(board: Board) -> None:
    parent = board.create("parent")
    child = board.create("child", parentId=parent)
    refusal = board.refused("task_cancel", id=parent)
    assert refusal.data["open_tasks"] == [f"task-{child}"]
    board.call("task_cancel", id=child)
    assert board.call("task_cancel", id=parent)["status"] == "cancelled"


def test_a_claim_ends_with_it(board: Board) -> None:
    number = board.create()
    claim = board.next()
    board.call("task_cancel", id=number, epoch=claim["epoch"])
    assert "claimedBy" not in board.get(number)
    assert board.refused("task_heartbeat", id=number, epoch=claim["epoch"]).kind == "conflict"


def test_the_last_of_a_workflow_ends_it(board: Board) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    first, second = (board.create(name, workflowId=workflow) for name in ("first", "second"))
    board.call("task_cancel", id=first)
    assert board.call("workflow_get", workflow_id=workflow)["status"] == "in_progress"
    board.call("task_cancel", id=second)
    assert board.call("workflow_get", workflow_id=workflow)["status"] == "completed"
