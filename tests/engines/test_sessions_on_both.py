"""The life of sessions on either database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.task import Session
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine
from tests.ops.sessions.conftest import Desk, lines
from tests.ops.track.conftest import at_once


@pytest.fixture
def desk(engine: Engine, repo: Path) -> Desk:
    return Desk(app_on(engine.open(), tree=str(repo), enable=["supervision"]), repo)


@pytest.mark.proves("session:start:key", "session:log:follow", "session:compare")
def test_a_session_is_started_printed_ended_compared_and_undone(desk: Desk) -> None:
    task, waiting = desk.task(), desk.task(dependsOn=[1])
    session = desk.start(task, idempotencyKey="k")
    assert desk.start(task, idempotencyKey="k") == session
    printed = [f"{number} é\u202e \\ ' \"" for number in range(30)]
    for at in range(0, 30, 7):
        desk.call("session_output", sessionId=session, lines=lines(*printed[at : at + 7]))
    assert everything(desk, session) == printed
    desk.write("src/a.py", "Makefile")
    ended = desk.end(session, 0, artifacts=["dist/\u202e.js"])
    assert (ended["files"]["added"], ended["violations"][0]["path"]) == (["Makefile", "src/a.py"], "Makefile")
    assert desk.call("task_get", id=waiting)["ready"] is True
    assert desk.call("session_compare", taskId=task)["sessions"][0]["files"] == 2
    desk.call("ledger_undo")
    assert (desk.status(task), desk.session(session).status) == ("in_progress", "running")
    assert desk.call("task_get", id=waiting)["ready"] is False


def everything(desk: Desk, session: int) -> list[str]:
    found: list[str] = []
    page: dict[str, Any] = {"nextCursor": None}
    while "nextCursor" in page:
        page = desk.call("session_log", sessionId=session, limit=4, cursor=page["nextCursor"])
        found += page["text"].splitlines()
    return found


@pytest.mark.proves("session:start:key", "session:start:group")
@pytest.mark.parametrize("key", ["k", None])
def test_of_two_calls_at_once_one_starts_a_session(desk: Desk, key: str | None) -> None:
    tasks = [desk.task(), desk.task()] if key else [desk.task()] * 2
    outcomes = at_once(
        desk,
        lambda place: desk.call("session_start", taskId=tasks[place], agent="coder", idempotencyKey=key),
    )
    assert {type(outcome) for outcome in outcomes} == {Conflict, dict}
    assert len(desk.app.ledger.find(Session, {}, limit=9)) == 1


def test_of_two_ends_at_once_the_second_only_adds_to_the_first(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.write("src/a.py")
    first, second = at_once(desk, lambda place: desk.end(session, artifacts=[f"{place}.js"]))
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert first["endedAt"] == second["endedAt"]
    assert first["files"] == second["files"]
    assert sorted(desk.session(session).artifacts) == ["0.js", "1.js"]
    assert desk.app.call("review_list", {}, caller())["reviews"] == []
