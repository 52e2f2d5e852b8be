from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.page import MOST_CHARACTERS
from deedlog.ports import EventQuery
from tests.faces.cli.running import Cli
from tests.ops.sessions.conftest import Desk


def lines(*texts: str, stream: str = "stdout") -> list[dict[str, object]]:
    return [{"at": 1, "stream": stream, "text": text} for text in texts]


def output(desk: Desk, session: int, *texts: str, **more: object) -> Any:
    return desk.call("session_output", sessionId=session, lines=lines(*texts), **more)


@pytest.fixture
def session(desk: Desk) -> int:
    return desk.start(desk.task())


def test_what_a_worker_prints_is_read_back_line_by_line(desk: Desk, session: int) -> None:
    assert output(desk, session, "one", "two") == {"sessionId": session, "lines": 2}
    assert output(desk, session, "", "\x1b[31mfour\x1b[0m")["lines"] == 4
    log = desk.call("session_log", sessionId=session)
    assert log == {
        "sessionId": session,
        "status": "running",
        "text": "one\ntwo\n\n\x1b[31mfour\x1b[0m\n",
        "fromLine": 1,
        "lines": 4,
    }
    assert desk.call("session_log", sessionId=session, fromLine=2, limit=1)["text"] == "two\n"
    assert desk.call("session_log", sessionId=session, fromLine=-3)["text"].startswith("two\n")
    assert desk.call("session_log", sessionId=session, fromLine=9)["text"] == ""
    assert desk.call("session_log", sessionId=session, fromLine=-99)["lines"] == 4


@pytest.mark.parametrize("limit", [1, 3, 7, 5_000])
@pytest.mark.proves("session:log:follow")
def test_pages_hold_every_line_once(desk: Desk, session: int, limit: int) -> None:
    printed = [f"{number} {'x' * 200}" for number in range(250)]
    for at in range(0, 250, 40):
        output(desk, session, *printed[at : at + 40])
    found: list[str] = []
    cursor = None
    while True:
        page = desk.call("session_log", sessionId=session, limit=limit, cursor=cursor)
        assert len(json.dumps(page)) <= MOST_CHARACTERS
        found += page["text"].splitlines()
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert found == printed


def test_a_session_that_printed_nothing_has_an_empty_log(desk: Desk, session: int) -> None:
    assert desk.call("session_log", sessionId=session)["text"] == ""
    desk.end(session)
    assert "nextCursor" not in desk.call("session_log", sessionId=session, follow=True)


@pytest.mark.proves("session:log:follow")
def test_whoever_follows_is_told_of_lines_as_they_come_and_when_it_ended(desk: Desk, session: int) -> None:
    output(desk, session, "one")
    page = desk.call("session_log", sessionId=session, follow=True)
    assert page["text"] == "one\n"
    waits = threading.Event()
    found: list[Any] = []

    def read() -> None:
        waits.set()
        found.append(desk.call("session_log", sessionId=session, follow=True, cursor=page["nextCursor"]))

    reader = threading.Thread(target=read)
    reader.start()
    waits.wait()
    output(desk, session, "two")
    reader.join()
    assert (found[0]["text"], found[0]["status"]) == ("two\n", "running")
    desk.end(session)
    last = desk.call("session_log", sessionId=session, follow=True, cursor=found[0]["nextCursor"])
    assert (last["text"], last["status"]) == ("", "completed")
    assert "nextCursor" not in last


def test_a_session_is_news_only_where_its_usage_changed(desk: Desk, session: int) -> None:
    before = desk.app.ledger.head()
    output(desk, session, "one")
    output(desk, session, "two", usage={"tokens": 5})
    output(desk, session, "three", usage={"tokens": 5})
    kinds = [event.entity for event in desk.app.ledger.events(EventQuery(after=before))]
    assert sorted(kinds) == ["output", "output", "output", "session"]
    assert desk.session(session).usage == {"tokens": 5}
    assert desk.call("session_get", sessionId=session)["outputLines"] == 3
    desk.end(session)
    assert desk.session(session).lines == 3


def test_nothing_is_printed_by_a_session_that_ended(desk: Desk, session: int) -> None:
    desk.end(session)
    with pytest.raises(Conflict):
        output(desk, session, "late")
    assert desk.call("session_log", sessionId=session)["lines"] == 0


def test_what_was_printed_cannot_be_undone(desk: Desk, session: int) -> None:
    output(desk, session, "one")
    with pytest.raises(Conflict):
        desk.call("ledger_undo")
    assert desk.call("session_log", sessionId=session)["text"] == "one\n"


def test_lines_printed_at_once_are_all_kept_in_one_order(desk: Desk, session: int) -> None:
    threads = [
        threading.Thread(target=lambda place=place: [output(desk, session, f"{place}-{n}") for n in range(10)])
        for place in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = desk.call("session_log", sessionId=session)["text"].splitlines()
    assert sorted(found) == sorted(f"{place}-{n}" for place in range(3) for n in range(10))


def test_a_cursor_of_somebody_else_is_refused(desk: Desk, session: int) -> None:
    for cursor in ("x", "-1", "1.5", "９"):
        with pytest.raises(Invalid):
            desk.call("session_log", sessionId=session, cursor=cursor)


@pytest.mark.proves("session:log:follow")
def test_a_command_that_follows_shows_each_line_and_ends_with_the_session(repo: Path, tmp_path: Path) -> None:
    cli = Cli(repo, tmp_path / "home")
    cli.run("task", "create", "Add login")
    cli.run("session", "start", "1", "coder")
    printing = ("--enable-supervision", "session", "output", "1", "--lines")
    cli.run(*printing, json.dumps(lines("one", "two")))
    process = cli.start("session", "log", "1", "--follow")
    assert process.stdout
    assert [process.stdout.readline(), process.stdout.readline()] == [b"one\n", b"two\n"]
    cli.run(*printing, json.dumps(lines("three")))
    assert process.stdout.readline() == b"three\n"
    cli.run("session", "end", "1", "0")
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0
    assert cli.run("session", "log", "1").stdout == "one\ntwo\nthree\n"
