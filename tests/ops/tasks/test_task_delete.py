from __future__ import annotations

import pytest

from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board


def test_a_task_created_by_mistake_goes_and_can_come_back(board: Board) -> None:
    first = board.create("first")
    number = board.create("mistake", dependsOn=[first])
    assert board.call("task_delete", id=number) == {"id": number, "deleted": True}
    assert board.refused("task_get", id=number).kind == "not_found"
    assert "blocks" not in board.get(first)
    board.call("ledger_undo")
    assert (board.get(number)["dependsOn"], board.get(first)["blocks"]) == ([first], [number])


@pytest.mark.parametrize(
    ("what", "arguments"),
    [
        ("session_start", {"agent": "coder"}),
        ("log_decision", {"category": "other", "question": "q", "chosen": "c", "reasoning": "r"}),
        ("log_issue", {"type": "other", "description": "d", "resolution": "r"}),
        ("log_milestone", {"message": "m"}),
    ],
)
def test_what_has_a_history_is_cancelled_instead(board: Board, what: str, arguments: dict[str, str]) -> None:
    number = board.create()
    board.call(what, task_id=number, **arguments)
    refusal = board.refused("task_delete", id=number)
    assert refusal.kind == "conflict"
    assert "task_cancel" in refusal.hint


def test_what_others_need_stays(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    third = board.create("third", parentId=second)
    assert f"task-{second} waits for it" in board.refused("task_delete", id=first).message
    assert f"task-{third} is a part of it" in board.refused("task_delete", id=second).message
    for number in (third, second, first):
        board.call("task_delete", id=number)


def test_what_somebody_has_claimed_stays_until_the_claim_lapsed(board: Board, clock: Clock) -> None:
    number = board.create()
    board.next(leaseSeconds=5)
    assert "claimed" in board.refused("task_delete", id=number).message
    clock.turn(6)
    board.call("task_delete", id=number)
