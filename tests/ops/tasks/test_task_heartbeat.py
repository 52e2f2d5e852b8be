from __future__ import annotations

import pytest

from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:next:lease")
def test_a_claim_holds_as_long_as_its_holder_says_so(board: Board, clock: Clock) -> None:
    number = board.create()
    epoch = board.next(leaseSeconds=60)["epoch"]
    for _ in range(3):
        clock.turn(50)
        held = board.call("task_heartbeat", id=number, epoch=epoch, leaseSeconds=60)
    assert held == {"id": number, "epoch": epoch, "leaseUntil": "2025-01-15T10:03:30Z"}
    assert board.next()["task"] is None
    clock.turn(61)
    assert board.next()["task"]["id"] == number


def test_a_claim_that_lapsed_can_be_kept_while_nobody_else_has_it(board: Board, clock: Clock) -> None:
    number = board.create()
    epoch = board.next(leaseSeconds=5)["epoch"]
    clock.turn(10)
    board.call("task_heartbeat", id=number, epoch=epoch)
    assert board.next()["task"] is None


@pytest.mark.proves("task:next:fenced")
def test_whoever_lost_it_is_told_to_stop(board: Board, clock: Clock) -> None:
    number = board.create()
    old = board.next(leaseSeconds=5)["epoch"]
    clock.turn(10)
    board.next(actor="other")
    refusal = board.refused("task_heartbeat", id=number, epoch=old)
    assert refusal.kind == "conflict"
    assert "stop working" in refusal.hint


def test_what_nobody_has_claimed_is_refused(board: Board) -> None:
    number = board.create()
    epoch = board.next()["epoch"]
    board.call("task_release", id=number, epoch=epoch)
    assert board.refused("task_heartbeat", id=number, epoch=epoch).kind == "conflict"
    assert board.refused("task_heartbeat", id=number, epoch=epoch + 1).kind == "conflict"
    assert board.refused("task_heartbeat", id=99, epoch=1).kind == "not_found"


def test_the_holder_needs_no_epoch_and_others_do(board: Board) -> None:
    number = board.create()
    epoch = board.next(actor="ada")["epoch"]
    assert board.call("task_heartbeat", id=number, actor="ada")["epoch"] == epoch
    refusal = board.refused("task_heartbeat", id=number)
    assert (refusal.kind, refusal.data["holder"]) == ("conflict", "ada")
    assert board.call("task_heartbeat", id=number, epoch=epoch)["epoch"] == epoch
