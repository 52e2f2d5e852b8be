from __future__ import annotations

from typing import Any

import pytest

from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:update:fields")
def test_it_changes_what_is_given_and_nothing_else(board: Board, clock: Clock) -> None:
    number = board.create("old", description="keep", assignee="coder", labels="a")
    before = board.get(number)
    clock.turn(60)
    changes: Any = {"title": "new", "priority": "critical", "type": "bug", "complexity": 3}
    board.call("task_update", id=number, **changes, labels="x, y")
    after = board.get(number)
    assert after == {**before, **changes, "labels": ["x", "y"], "updatedAt": "2025-01-15T10:01:00Z"}


@pytest.mark.proves("task:update:fields")
def test_labels_come_with_commas_or_as_a_list(board: Board) -> None:
    number = board.create(labels="a")
    assert board.call("task_update", id=number, labels="b, c")["labels"] == ["b", "c"]
    assert board.call("task_update", id=number, labels=["d", "e"])["labels"] == ["d", "e"]
    assert board.call("task_update", id=number, labels="")["labels"] == []


def test_an_empty_assignee_is_nobody(board: Board) -> None:
    number = board.create(assignee="ada", assigneeType="human")
    board.call("task_update", id=number, assignee="")
    found = board.get(number)
    assert (found["assignee"], found["assigneeType"]) == (None, None)
    assert board.next()["task"]["id"] == number


@pytest.mark.proves("task:update:fields", "task:status:derived")
def test_a_status_is_not_set_by_hand(board: Board) -> None:
    number = board.create()
    refusal = board.refused("task_update", id=number, status="done")
    assert refusal.data["field"] == "status"
    assert "task_done" in refusal.hint
    assert "task_cancel" in refusal.hint


def test_an_update_of_nothing_is_refused(board: Board) -> None:
    number = board.create()
    assert board.refused("task_update", id=number).kind == "invalid"
    assert board.refused("task_update", id=99, title="x").kind == "not_found"
    assert board.refused("task_update", id=number, priority="urgent").data["field"] == "priority"


def test_what_changes_nothing_leaves_it_alone(board: Board, clock: Clock) -> None:
    number = board.create("same")
    version = board.task(number).version
    clock.turn(60)
    board.call("task_update", id=number, title="same")
    assert board.task(number).version == version


def test_another_priority_is_another_place_in_the_queue(board: Board) -> None:
    board.create("first")
    second = board.create("second")
    board.call("task_update", id=second, priority="high")
    assert board.next()["task"]["id"] == second


def test_an_old_epoch_is_fenced_off(board: Board, clock: Clock) -> None:
    number = board.create()
    old = board.next(leaseSeconds=1)["epoch"]
    clock.turn(2)
    new = board.next()["epoch"]
    refusal = board.refused("task_update", id=number, title="late", epoch=old)
    assert (refusal.kind, refusal.data["epoch"]) == ("conflict", new)
    assert board.call("task_update", id=number, title="mine", epoch=new)["title"] == "mine"


def test_an_attempt_is_selected_elsewhere(board: Board) -> None:
    assert "session_select" in board.refused("task_update", id=board.create(), selectedSessionId=1).hint
