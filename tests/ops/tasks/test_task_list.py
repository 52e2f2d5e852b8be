from __future__ import annotations

from typing import Any

import pytest

from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board


def listed(board: Board, **filters: Any) -> list[int]:
    return [row["id"] for row in board.call("task_list", **filters)["tasks"]]


@pytest.mark.proves("task:list:filters", "style:004:camel")
def test_rows_have_what_the_document_says(board: Board) -> None:
    board.create("認証機能実装", priority="high")
    row = board.call("task_list")["tasks"][0]
    assert row == row | {"id": 1, "title": "認証機能実装", "status": "open", "priority": "high", "assignee": None}


def test_a_row_names_what_its_task_still_waits_for(board: Board) -> None:
    first, second, third = board.create("first"), board.create("second"), board.create("third")
    last = board.create("last", dependsOn=[first, second, third])
    board.call("task_cancel", id=second)
    rows = {row["id"]: row for row in board.call("task_list")["tasks"]}
    assert rows[last]["waitingFor"] == [first, third] == board.get(last)["waitingFor"]
    assert "waitingFor" not in rows[first]


@pytest.mark.proves("task:list:filters")
def test_it_is_filtered_by_everything_one_can_ask_for(board: Board, clock: Clock) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    first = board.create("first", assignee="coder", type="bug", labels="ui,old", workflowId=workflow)
    clock.turn(1)
    second = board.create("second", assignee="writer", priority="high", parentId=first)
    clock.turn(1)
    third = board.create("third", assignee="coder", dependsOn=[second])
    board.call("task_cancel", id=second)
    assert listed(board) == [third, second, first]
    assert listed(board, status="open") == [third, first]
    assert listed(board, status="open", assignee="coder") == [third, first]
    assert listed(board, status="cancelled", assignee="coder") == []
    assert listed(board, assignee="") == []
    assert listed(board, type="bug") == listed(board, label="ui") == [first]
    assert listed(board, priority="high") == listed(board, parentId=first) == [second]
    assert listed(board, workflowId=workflow) == [second, first]
    assert listed(board, label="u") == []


@pytest.mark.proves("task:list:filters")
def test_twenty_are_shown_unless_more_are_asked_for(board: Board) -> None:
    for number in range(25):
        board.create(f"{number}")
    assert len(listed(board)) == 20
    assert len(listed(board, limit=25)) == 25
    assert board.refused("task_list", limit=0).kind == "invalid"
    assert board.refused("task_list", status="closed").kind == "invalid"
    assert board.refused("task_list", status="open; rm -rf ~").kind == "invalid"


@pytest.mark.parametrize("filters", [{}, {"ready": True}, {"label": "odd"}, {"ready": True, "label": "odd"}])
def test_pages_together_show_each_task_once(board: Board, filters: dict[str, Any]) -> None:
    for number in range(13):
        priority = ("low", "high", "critical")[number % 3]
        kind = "human" if number % 4 == 0 else "ai"
        board.create(f"{number}", priority=priority, labels="odd" if number % 2 else "even", assigneeType=kind)
    whole = listed(board, limit=100, **filters)
    found: list[int] = []
    page: dict[str, Any] = {"nextCursor": None}
    while "nextCursor" in page:
        page = board.call("task_list", limit=2, cursor=page["nextCursor"], **filters)
        found += [row["id"] for row in page["tasks"]]
    assert found == whole
    assert len(whole) == (6 if "label" in filters else 13)


def test_a_page_ends_before_it_is_too_long_for_a_client(board: Board) -> None:
    for _ in range(100):
        board.create("界" * 500)
    page = board.call("task_list", limit=100)
    assert 0 < len(page["tasks"]) < 100
    assert "nextCursor" in page


def test_what_can_begin_now_comes_in_the_order_in_which_it_is_handed_out(board: Board, clock: Clock) -> None:
    low = board.create("low", priority="low")
    blocker = board.create("blocker")
    board.create("blocked", priority="critical", dependsOn=[blocker])
    clock.turn(1)
    high = board.create("high", priority="high")
    assert listed(board, ready=True) == [high, blocker, low]
    board.next()
    assert listed(board, ready=True) == [blocker, low]
    assert listed(board, ready=True, assignee="nobody") == []


@pytest.mark.proves("task:one-model")
def test_tasks_of_both_ways_are_in_one_list(board: Board) -> None:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    planned = board.create("planned")
    started = board.call("start_task", workflow_id=workflow, name="started", goal="g")["task_id"]
    assert [f"task-{number}" for number in listed(board)] == [started, f"task-{planned}"]
    assert [f"task-{number}" for number in listed(board, status="in_progress")] == [started]


def test_a_cursor_that_is_not_ours_is_refused(board: Board) -> None:
    board.create()
    assert board.refused("task_list", cursor="x").kind == "invalid"
    assert listed(board, ready=True, cursor="1.nowhere/x") == []
