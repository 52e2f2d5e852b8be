"""What is taken back long after: what follows from it is found out anew."""

from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.workflow import Workflow
from tests.ops.tasks.conftest import Board
from tests.ops.tasks.test_random_boards import wrong


def last_op(board: Board) -> str:
    op = board.app.ledger.last_op("tester")
    assert op
    return op.op_id


def done(board: Board, number: int) -> None:
    board.end(board.start(number))


def status(board: Board, workflow_id: str) -> str:
    return board.app.ledger.get(Workflow, workflow_id).status


@pytest.mark.proves("task:status:derived")
def test_a_dependency_that_comes_back_does_not_block_once_it_is_done(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    board.call("task_depend", id=second, remove=[first])
    removal = last_op(board)
    done(board, first)
    board.call("ledger_undo", op_id=removal)
    assert board.get(second)["dependsOn"] == [first]
    assert board.get(second)["ready"]
    assert wrong(board.app) == []


def test_a_deleted_task_that_comes_back_waits_only_for_what_is_left_to_do(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    board.call("task_delete", id=second)
    deletion = last_op(board)
    done(board, first)
    board.call("ledger_undo", op_id=deletion)
    assert board.next()["task"]["id"] == second
    assert wrong(board.app) == []


def test_a_dependency_that_would_close_a_circle_does_not_come_back(board: Board) -> None:
    first, second = board.create("first"), board.create("second")
    board.call("task_depend", id=first, add=[second])
    board.call("task_depend", id=first, remove=[second])
    removal = last_op(board)
    board.call("task_depend", id=second, add=[first])
    refusal = board.refused("ledger_undo", op_id=removal)
    assert isinstance(refusal, Conflict)
    assert "task-1 → task-2 → task-1" in refusal.message
    assert board.next()["task"]["id"] == first


def test_a_workflow_goes_on_while_a_task_of_it_is_open_whatever_is_taken_back(board: Board) -> None:
    workflow = board.call("start_workflow", name="x")["workflow_id"]
    done(board, board.create("first", workflowId=workflow))
    board.create("second", workflowId=workflow)
    reopened = last_op(board)
    board.create("third", workflowId=workflow)
    board.call("ledger_undo", op_id=reopened)
    assert status(board, workflow) == "in_progress"


def test_a_workflow_ends_when_its_last_open_task_is_taken_back(board: Board) -> None:
    workflow = board.call("start_workflow", name="x")["workflow_id"]
    first = board.create("first", workflowId=workflow)
    board.create("second", workflowId=workflow)
    created = last_op(board)
    done(board, first)
    assert status(board, workflow) == "in_progress"
    board.call("ledger_undo", op_id=created)
    assert status(board, workflow) == "completed"


def test_a_workflow_ends_when_its_last_open_task_is_deleted(board: Board) -> None:
    workflow = board.call("start_workflow", name="x")["workflow_id"]
    done(board, board.create("first", workflowId=workflow))
    second = board.create("second", workflowId=workflow)
    board.call("task_delete", id=second)
    assert status(board, workflow) == "completed"
    board.call("ledger_undo")
    assert status(board, workflow) == "in_progress"
