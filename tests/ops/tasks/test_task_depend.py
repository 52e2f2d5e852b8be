from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid
from tests.ops.tasks.conftest import Board
from tests.ops.track.conftest import at_once


def test_a_task_waits_until_all_it_depends_on_are_over(board: Board) -> None:
    first, second, third = (board.create(name) for name in ("first", "second", "third"))
    answer = board.call("task_depend", id=third, add=[first, f"task-{second}"])
    assert answer == {"id": third, "dependsOn": [first, second], "waitingFor": [first, second]}
    board.end(board.start(first))
    assert not board.get(third)["ready"]
    board.call("task_cancel", id=second)
    assert board.get(third)["ready"]


def test_a_failed_one_still_blocks(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    board.end(board.start(first), exit_code=1)
    assert board.get(second)["waitingFor"] == [first]
    board.end(board.start(first))
    assert board.get(second)["ready"]


def test_it_can_be_freed_again(board: Board) -> None:
    first, second = board.create("first"), board.create("second")
    third = board.create("third", dependsOn=[first])
    answer = board.call("task_depend", id=third, add=[second], remove=[first])
    assert (answer["dependsOn"], answer["waitingFor"]) == ([second], [second])
    assert "blocks" not in board.get(first)
    board.call("task_depend", id=third, remove=[second])
    assert board.get(third)["ready"]


@pytest.mark.proves("task:depend:cycle")
def test_a_cycle_is_refused_naming_the_way(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    third = board.create("third", dependsOn=[second])
    refusal = board.refused("task_depend", id=first, add=[third])
    assert refusal.kind == "conflict"
    assert f"task-{first} → task-{third} → task-{second} → task-{first}" in refusal.message
    assert refusal.data["path"] == [first, third, second, first]
    assert "blocks" not in board.get(third)
    assert board.refused("task_depend", id=first, add=[first]).kind == "invalid"


def test_a_part_cannot_wait_for_the_whole(board: Board) -> None:
    parent = board.create("parent")
    child = board.create("child", parentId=parent)
    assert board.refused("task_depend", id=child, add=[parent]).data["field"] == "add"
    board.call("task_depend", id=parent, add=[child])
    assert board.get(parent)["waitingFor"] == [child]


def test_to_say_it_again_changes_nothing(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    version = board.task(second).version
    board.call("task_depend", id=second, add=[first])
    assert board.task(second).version == version


def test_what_names_no_task_is_refused(board: Board) -> None:
    number = board.create()
    assert board.refused("task_depend", id=number).kind == "invalid"
    assert board.refused("task_depend", id=number, add=[99]).kind == "not_found"
    assert board.refused("task_depend", id=number, add=[1.5]).kind == "invalid"


@pytest.mark.proves("task:status:derived")
def test_a_claimed_task_that_must_wait_is_not_handed_out_when_the_claim_is_over(board: Board) -> None:
    first, second = board.create("first"), board.create("second", priority="high")
    claim = board.next()
    assert claim["task"]["id"] == second
    board.call("task_depend", id=second, add=[first])
    board.call("task_release", id=second, epoch=claim["epoch"])
    assert board.next()["task"]["id"] == first
    assert board.next()["blocked"] == 1


@pytest.mark.proves("task:depend:cycle")
def test_two_that_would_close_a_cycle_together_do_not(board: Board) -> None:
    """Neither of them writes a task that the other one writes."""
    first, second, third, fourth = (board.create(str(number)) for number in range(4))
    board.call("task_depend", id=second, add=[first])
    board.call("task_depend", id=fourth, add=[third])
    added: list[Any] = [{"id": first, "add": [fourth]}, {"id": third, "add": [second]}]
    outcomes = at_once(board, lambda number: board.call("task_depend", **added[number]))
    refused = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert len(refused) == 1
    assert "which waits for it" in refused[0].message


def test_two_that_end_at_once_free_the_third(board: Board) -> None:
    first, second = board.create("first"), board.create("second")
    third = board.create("third", dependsOn=[first, second])
    at_once(board, lambda number: board.call("task_cancel", id=(first, second)[number]))
    assert board.get(third)["ready"]


def test_whoever_came_to_wait_meanwhile_waits_when_the_end_is_taken_back(board: Board) -> None:
    first = board.create("first")
    board.call("task_cancel", id=first, actor="ada")
    second = board.create("second", dependsOn=[first])
    assert board.get(second)["ready"]
    board.call("ledger_undo", actor="ada")
    assert (board.get(first)["status"], board.get(second)["waitingFor"]) == ("open", [first])


def test_what_is_to_be_added_and_removed_at_once_is_refused(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    refusal = board.refused("task_depend", id=second, add=[first], remove=[first])
    assert isinstance(refusal, Invalid)
    assert "task-1" in refusal.message
    assert board.get(second)["dependsOn"] == [first]


def test_a_long_way_round_is_told_in_short(board: Board) -> None:
    first = last = board.create("first")
    for _ in range(30):
        last = board.create("next", dependsOn=[last])
    refusal = board.refused("task_depend", id=first, add=[last])
    assert "task-1 → task-31 → task-30 → " in refusal.message
    assert refusal.message.endswith(" → task-2 → task-1")
    assert "…" in refusal.message
    assert len(refusal.message) < 300
