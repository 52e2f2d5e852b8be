from __future__ import annotations

import pytest

from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:done:untracked", "task:status:derived")
def test_a_planned_task_that_nobody_tracked_is_done_in_one_step(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    answer = board.call("task_done", id=first, note="changed at the registrar")
    assert answer == {"id": first, "status": "done", "sessionId": 1, "unblocked": [second]}
    assert board.get(first)["status"] == "done"
    session = board.call("session_get", sessionId=1)
    assert (session["status"], session["result"], session["actor"]) == ("completed", "success", "tester")
    assert session["outcome"] == {"summary": "changed at the registrar"}
    assert session["changesUnknown"]
    assert board.next()["task"]["id"] == second


def test_to_say_it_again_records_nothing(board: Board) -> None:
    number = board.create()
    board.call("task_done", id=number)
    assert board.call("task_done", id=number) == {"id": number, "status": "done"}
    assert len(board.call("session_list", taskId=number)["sessions"]) == 1


def test_one_that_failed_can_be_done_by_hand(board: Board) -> None:
    number = board.create()
    board.end(board.start(number), exit_code=1)
    assert board.call("task_done", id=number)["status"] == "done"


def test_what_runs_is_refused_with_the_way_out(board: Board) -> None:
    number = board.create()
    session = board.start(number)
    refusal = board.refused("task_done", id=number)
    assert (refusal.kind, refusal.data) == ("conflict", {"task_id": number, "session_id": session})
    assert "session_end" in refusal.hint


def test_what_is_cancelled_is_taken_up_again_first(board: Board) -> None:
    number = board.create()
    board.call("task_cancel", id=number)
    assert "task_reopen" in board.refused("task_done", id=number).hint


def test_open_subtasks_are_named(board: Board) -> None:
    parent = board.create("parent")
    child = board.create("child", parentId=parent)
    assert board.refused("task_done", id=parent).data["open_tasks"] == [f"task-{child}"]


def test_the_claim_of_another_is_kept(board: Board) -> None:
    number = board.create()
    board.next(actor="other")
    assert board.refused("task_done", id=number).data["holder"] == "other"
    assert board.call("task_done", id=number, actor="other")["status"] == "done"


def test_its_changes_are_told_to_be_unknown(board: Board) -> None:
    number = board.create()
    board.call("task_done", id=number)
    assert board.call("task_changes", task_id=f"task-{number}")["changes_unknown"]


def test_it_can_be_undone(board: Board) -> None:
    number = board.create()
    board.call("task_done", id=number)
    board.call("ledger_undo")
    assert board.get(number)["status"] == "open"
