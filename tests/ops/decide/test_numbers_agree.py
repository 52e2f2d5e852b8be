"""What waits for a person is counted once: every list that tells how much there is tells the same."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.app import App
from deedlog.testing import Clock
from tests.ops.decide.conftest import people, waits
from tests.ops.tasks.conftest import Board
from tests.ops.workers.conftest import Shop


def to_look_at(app: App, **asked: Any) -> dict[str, Any]:
    (column,) = people(app, "task_board", column="review", **asked)["columns"]
    assert column["count"] == len(column["tasks"])
    return {card["task_id"]: card for card in column["tasks"]}


def agree(app: App) -> dict[str, int]:
    """How much waits in each workflow, by all who tell it."""
    now = people(app, "now_get")
    assert now["counts"]["attention"] == people(app, "attention_list")["total"] == len(waits(app))
    told = {row["name"]: row.get("attention", 0) for row in now["workflows"]}
    for row in now["workflows"]:
        listed = people(app, "attention_list", workflow_id=row["workflow_id"])
        assert told[row["name"]] == listed["total"] == sum(listed["counts"].values()) == len(listed["items"])
        cards = to_look_at(app, workflow_id=row["workflow_id"])
        assert {ref: card["attention"] for ref, card in cards.items()} == {
            item["task_id"]: item["kind"] for item in reversed(listed["items"])
        }
    return told


@pytest.mark.proves("page:now:counts")
def test_work_to_be_merged_is_counted_in_its_workflow_as_it_is_in_all(shop: Shop) -> None:
    first, second = (shop.call("start_workflow", name=name)["workflow_id"] for name in ("one", "two"))
    shop.ended("write a.txt hello", workflowId=first)
    shop.ended("write b.txt hello", "exit 3", workflowId=first)
    shop.ended("write c.txt hello", workflowId=second)
    shop.ended("write d.txt hello")
    assert agree(shop.app) == {"one": 2, "two": 1}


@pytest.mark.proves("page:board:columns")
def test_a_claim_that_lapsed_is_among_what_needs_a_person_and_is_given_to_others_there(
    board: Board, clock: Clock
) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    number = board.create("a task", workflowId=workflow)
    board.next(actor="bot", leaseSeconds=60)
    assert agree(board.app) == {"w": 0}
    clock.turn(100)
    assert agree(board.app) == {"w": 1}
    (card,) = to_look_at(board.app).values()
    assert (card["attention"], card["moves"]) == ("lease", {"ready": "task_release"})
    assert "others" in card["question"]
    people(board.app, "task_release", id=number)
    assert to_look_at(board.app) == {}
    assert agree(board.app) == {"w": 0}
