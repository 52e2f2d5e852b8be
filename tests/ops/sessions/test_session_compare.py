from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.testing import Clock
from tests.ops.sessions.conftest import Desk


@pytest.fixture
def attempts(desk: Desk, clock: Clock) -> Desk:
    """Three attempts at task 1: two of a group `g`, one alone before them."""
    task = desk.task()
    desk.end(desk.start(task), 1)
    for number, paths in ((2, ["src/a.py", "src/b.py"]), (3, ["src/b.py", "Makefile"])):
        session = desk.start(task, sessionGroupId="g")
        assert session == number
        desk.write(*paths, text=f"{number}\n")
        clock.turn(number)
        desk.end(session, 0, dodResult="error")
    desk.change(2, usage={"tokens": 100.0, "cost": 0.25}, checks=[{"label": "tests", "passed": True}])
    return desk


@pytest.mark.proves("session:compare")
def test_attempts_are_held_side_by_side(attempts: Desk) -> None:
    found = attempts.call("session_compare", taskId=1)
    assert found["taskId"] == 1
    first, second, third = found["sessions"]
    assert [row["id"] for row in found["sessions"]] == [1, 2, 3]
    assert (first["status"], first["files"]) == ("failed", 0)
    assert (second["files"], second["linesAdded"], second["violations"]) == (2, 2, 0)
    assert (second["tokens"], second["cost"], second["checks"]) == (100.0, 0.25, {"tests": "passed"})
    assert (third["files"], third["violations"]) == (2, 1)
    assert second["durationMs"] < third["durationMs"]
    assert found["sharedFiles"] == [{"path": "src/b.py", "sessions": [2, 3]}]


def test_only_the_attempts_of_a_group_are_compared_where_it_is_named(attempts: Desk) -> None:
    assert [row["id"] for row in attempts.call("session_compare", taskId=1, sessionGroupId="g")["sessions"]] == [2, 3]
    with pytest.raises(Invalid):
        attempts.call("session_compare", taskId=1, sessionGroupId="nobody's")


@pytest.mark.proves("session:select")
def test_the_winner_is_selected_and_its_task_names_it(attempts: Desk) -> None:
    assert attempts.call("session_select", sessionId=2) == {"taskId": 1, "sessionId": 2, "status": "completed"}
    assert attempts.call("task_get", id=1)["selectedSessionId"] == 2
    assert attempts.call("session_select", sessionId=3)["before"] == 2
    selected = [row["selected"] for row in attempts.call("session_compare", taskId=1)["sessions"]]
    assert selected == [False, False, True]
    assert attempts.call("session_select", sessionId=3)["sessionId"] == 3
    attempts.call("ledger_undo")
    assert attempts.call("task_get", id=1)["selectedSessionId"] == 2


def test_nothing_is_selected_that_runs_or_does_not_exist(attempts: Desk) -> None:
    running = attempts.start(attempts.task())
    with pytest.raises(Conflict):
        attempts.call("session_select", sessionId=running)
    with pytest.raises(NotFound):
        attempts.call("session_select", sessionId=99)


def test_a_task_nobody_worked_on_has_nothing_to_compare(desk: Desk) -> None:
    assert desk.call("session_compare", taskId=desk.task()) == {"taskId": 1, "sessions": [], "sharedFiles": []}
