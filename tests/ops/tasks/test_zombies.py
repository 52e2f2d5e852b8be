"""A holder that was taken for dead and is not."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board
from tests.ops.tasks.test_random_boards import wrong


@pytest.mark.proves("task:next:fenced")
def test_whoever_lost_a_claim_does_not_complete_the_task_of_the_next_holder(board: Board, clock: Clock) -> None:
    task = board.create()
    board.next(actor="one", leaseSeconds=10)
    board.start(task, actor="one")
    clock.turn(11)
    board.next(actor="two")
    session = board.start(task, actor="two")
    said: dict[str, Any] = {"task_id": f"task-{task}", "status": "success", "outcome": {"summary": "late"}}
    refusal = board.refused("complete_task", actor="one", **said)
    assert isinstance(refusal, Conflict)
    assert "claimed by two" in refusal.message
    assert board.session(session).status == "running"
    assert board.call("complete_task", actor="two", **said)["task_id"] == f"task-{task}"


@pytest.mark.proves("task:next:fenced")
def test_an_epoch_tells_two_holders_of_one_name_apart(board: Board, clock: Clock) -> None:
    task = board.create()
    lost = board.next(leaseSeconds=10)["epoch"]
    board.start(task)
    clock.turn(11)
    holds = board.next()["epoch"]
    session = board.start(task)
    said: dict[str, Any] = {"task_id": f"task-{task}", "status": "success", "outcome": {"summary": "late"}}
    assert f"epoch {lost} is over" in board.refused("complete_task", epoch=lost, **said).message
    assert board.session(session).status == "running"
    assert board.call("complete_task", epoch=holds, **said)["task_id"] == f"task-{task}"


def test_a_task_whose_work_succeeded_is_not_handed_out_again(board: Board, clock: Clock) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    board.next(actor="one", leaseSeconds=10)
    succeeded, forgotten = (board.start(first, actor="one", sessionGroupId="g") for _ in range(2))
    board.end(succeeded)
    clock.turn(11)
    assert board.next(actor="two")["task"] is None
    assert board.session(forgotten).status == "running"
    board.end(forgotten, exit_code=1)
    assert board.next(actor="two")["task"]["id"] == second
    assert wrong(board.app) == []


@pytest.mark.proves("task:next:lease")
def test_the_urgent_task_of_a_dead_agent_comes_back_first_though_many_are_alive(board: Board, clock: Clock) -> None:
    for _ in range(40):
        board.create()
    for number in range(40):
        board.next(actor=f"agent {number}", leaseSeconds=3_600)
    urgent = board.create("urgent", priority="critical")
    board.next(actor="dead", leaseSeconds=10)
    board.create("ready meanwhile")
    clock.turn(11)
    assert board.next()["task"]["id"] == urgent
