from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.sessions.conftest import Desk


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


def test_a_task_nobody_worked_on_has_nothing_to_compare(desk: Desk) -> None:
    assert desk.call("session_compare", taskId=desk.task()) == {"taskId": 1, "sessions": [], "sharedFiles": []}


@pytest.mark.proves("session:compare")
def test_the_changes_of_each_attempt_can_be_read(attempts: Desk) -> None:
    def paths(**more: object) -> list[str]:
        return [row["path"] for row in attempts.call("task_changes", task_id="1", **more)["changes"]]

    assert paths() == ["Makefile", "src/b.py"]
    assert paths(session_id=2) == ["src/a.py", "src/b.py"]
    assert "+2\n" in attempts.call("task_patch", task_id="1", session_id="session-2")["patch"]
    attempts.call("session_select", sessionId=2)
    assert paths() == ["src/a.py", "src/b.py"]
    attempts.start(1, sessionGroupId="g")
    attempts.write("src/c.py")
    assert paths() == ["src/c.py"]
    assert paths(session_id=3) == ["Makefile", "src/b.py"]
    with pytest.raises(Invalid):
        attempts.call("task_changes", task_id=str(attempts.task()), session_id=2)
