from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Invalid, NotFound
from deedlog.testing import Clock
from tests.ops.sessions.conftest import Desk


def ids(answer: Any) -> list[int]:
    return [row["id"] for row in answer["sessions"]]


@pytest.fixture
def filled(desk: Desk, clock: Clock) -> Desk:
    """Sessions 1 and 2 of task 1, failed and running, and 3 of task 2, completed; all at once in time and by age."""
    first, second = desk.task(), desk.task()
    desk.end(desk.start(first), 1)
    clock.turn(1)
    desk.start(first, agent="writer")
    clock.turn(1)
    desk.end(desk.start(second))
    return desk


@pytest.mark.proves("session:list:filters")
def test_sessions_are_listed_newest_first_by_task_status_and_agent(filled: Desk) -> None:
    assert ids(filled.call("session_list")) == [3, 2, 1]
    assert ids(filled.call("session_list", taskId=1)) == [2, 1]
    assert ids(filled.call("session_list", status="completed")) == [3]
    assert ids(filled.call("session_list", taskId=1, status="failed")) == [1]
    assert ids(filled.call("session_list", agent="writer")) == [2]
    assert ids(filled.call("session_list", agent="nobody")) == []


def test_a_row_says_what_lists_need(filled: Desk) -> None:
    [row] = filled.call("session_list", taskId=2)["sessions"]
    assert row["durationMs"] == 0
    assert row | {"durationMs": 0, "startedAt": "", "endedAt": ""} == {
        "id": 3,
        "taskId": 2,
        "agent": "coder",
        "status": "completed",
        "startedAt": "",
        "endedAt": "",
        "durationMs": 0,
        "exitCode": 0,
        "dodResult": "pending",
        "sessionGroupId": None,
        "branch": "main",
    }


@pytest.mark.parametrize("agent", [None, "coder"])
def test_every_session_is_on_one_page(filled: Desk, agent: str | None) -> None:
    for _ in range(4):
        filled.end(filled.start(filled.task()))
    found: list[int] = []
    cursor = None
    while True:
        page = filled.call("session_list", limit=2, cursor=cursor, agent=agent)
        found += ids(page)
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert found == ([7, 6, 5, 4, 3, 2, 1] if agent is None else [7, 6, 5, 4, 3, 1])


def test_a_status_that_does_not_exist_and_a_task_that_does_not_are_refused(filled: Desk) -> None:
    with pytest.raises(Invalid):
        filled.call("session_list", status="open")
    with pytest.raises(NotFound):
        filled.call("session_list", taskId=9)
