from __future__ import annotations

import pytest

from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:next:lease")
def test_what_is_given_back_goes_to_the_next(board: Board) -> None:
    number = board.create()
    first = board.next(actor="one")
    assert board.call("task_release", id=number, epoch=first["epoch"])["ready"]
    second = board.next(actor="two")
    assert (second["task"]["id"], second["task"]["claimedBy"]) == (number, "two")
    assert second["epoch"] > first["epoch"]


def test_to_give_it_back_again_says_the_same(board: Board) -> None:
    number = board.create()
    epoch = board.next()["epoch"]
    assert board.call("task_release", id=number, epoch=epoch) == board.call("task_release", id=number, epoch=epoch)


@pytest.mark.proves("task:next:fenced")
def test_nobody_gives_back_what_is_another_s(board: Board, clock: Clock) -> None:
    number = board.create()
    old = board.next(leaseSeconds=5)["epoch"]
    clock.turn(10)
    board.next(actor="other")
    assert board.refused("task_release", id=number, epoch=old).kind == "conflict"
    assert board.get(number)["claimedBy"] == "other"


def test_what_is_being_worked_on_is_ended_first(board: Board) -> None:
    number = board.create()
    epoch = board.next()["epoch"]
    board.start(number, epoch=epoch)
    assert board.refused("task_release", id=number, epoch=epoch).kind == "conflict"


def test_the_holder_needs_no_epoch_and_others_do(board: Board) -> None:
    number = board.create()
    board.next(actor="ada")
    assert board.refused("task_release", id=number).data["holder"] == "ada"
    assert board.call("task_release", id=number, actor="ada")["ready"]


@pytest.mark.proves("decide:lease:released")
def test_who_looks_after_a_claim_that_lapsed_needs_no_epoch(board: Board, clock: Clock) -> None:
    number = board.create()
    board.next(actor="bot", leaseSeconds=60)
    assert board.refused("task_release", id=number, actor="ann").data["holder"] == "bot"
    clock.turn(100)
    assert board.refused("task_release", id=number, actor="ann", epoch=7).kind == "conflict"
    assert board.call("task_release", id=number, actor="ann")["ready"]
