from __future__ import annotations

import threading

import pytest

from deedlog.core.errors import Conflict, Invalid
from deedlog.ports import EventQuery
from tests.ops.sessions.conftest import Desk, output


def test_lines_are_counted_as_they_come(desk: Desk, session: int) -> None:
    line = {"at": 1, "stream": "stderr", "text": "x"}
    assert desk.call("session_output", sessionId=session, lines=[line]) == {"sessionId": session, "lines": 1}
    with pytest.raises(Invalid):
        desk.call("session_output", sessionId=session, lines=[{**line, "stream": "other"}])


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
