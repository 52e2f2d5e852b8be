from __future__ import annotations

import json

import pytest

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.page import MOST_CHARACTERS
from tests.ops.sessions.conftest import Desk


def test_a_session_is_told_in_full(desk: Desk) -> None:
    session = desk.start(desk.task("Add login"), sessionGroupId="g")
    desk.write("src/a.py", "Makefile")
    desk.end(session, 124, error={"type": "timeout", "message": "after 5 s"})
    desk.change(
        session,
        usage={"tokens": 12.0, "cost": 0.5},
        checks=[{"label": "tests", "passed": False, "required": True, "exitCode": 1, "seconds": 0.1, "output": "E"}],
        worktree=".deedlog/worktrees/task-1",
    )
    got = desk.call("session_get", sessionId=session)
    assert (got["id"], got["taskId"], got["taskTitle"], got["agent"], got["actor"]) == (
        session,
        1,
        "Add login",
        "coder",
        "tester",
    )
    assert (got["status"], got["exitCode"], got["error"]["type"]) == ("failed", 124, "timeout")
    assert (got["branch"], got["worktree"], got["sessionGroupId"]) == ("main", ".deedlog/worktrees/task-1", "g")
    assert got["violations"] == [{"path": "Makefile", "reason": "read-only"}]
    assert got["files"] == {"added": 2, "modified": 0, "deleted": 0, "linesAdded": 2, "linesDeleted": 0}
    assert got["usage"] == {"tokens": 12.0, "cost": 0.5}
    assert got["checks"][0]["label"] == "tests"
    assert got["scope"]["write"] == ["src/**", "tests/**", "package.json", "tsconfig.json"]
    assert (got["selected"], got["outputLines"]) == (False, 0)


def test_a_running_session_has_no_end(desk: Desk) -> None:
    got = desk.call("session_get", sessionId=desk.start(desk.task()))
    assert (got["status"], got["endedAt"], got["exitCode"]) == ("running", None, None)


def test_a_session_that_says_very_much_still_fits_into_one_answer(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.write(*(f"{number}-{'x' * 100}.md" for number in range(300)))
    desk.end(session, 1, artifacts=[f"dist/{number}" for number in range(500)], error={"message": "x" * 4_000})
    desk.change(session, checks=[{"label": f"c{n}", "passed": True, "output": "o" * 2_000} for n in range(20)])
    got = desk.call("session_get", sessionId=session)
    assert len(json.dumps(got, ensure_ascii=False)) <= MOST_CHARACTERS + 100
    assert got["truncated"] is True


def test_a_session_is_called_by_its_number_in_any_spelling(desk: Desk) -> None:
    session = desk.start(desk.task())
    for name in (session, str(session), f"session-{session}", f"session://{session}"):
        assert desk.call("session_get", sessionId=name)["id"] == session
    with pytest.raises(NotFound) as refusal:
        desk.call("session_get", sessionId=77)
    assert refusal.value.data == {"session_id": "77"}


def test_a_task_where_a_session_is_asked_for_means_its_newest(desk: Desk) -> None:
    desk.end(desk.start(desk.task("another")))
    task = desk.task()
    with pytest.raises(Conflict, match=f"nobody has worked on task-{task} yet"):
        desk.call("session_get", sessionId=f"task-{task}")
    desk.end(desk.start(task), 1)
    newest = desk.start(task)
    assert desk.call("session_get", sessionId=f"task-{task}")["id"] == newest
    assert desk.call("session_log", session_id=f"task-{task}")["sessionId"] == newest
