from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from tests.ops.sessions.conftest import Desk


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
