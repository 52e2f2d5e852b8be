from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.core.page import MOST_CHARACTERS
from tests.faces.cli.running import Cli
from tests.ops.sessions.conftest import Desk, lines, output


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
