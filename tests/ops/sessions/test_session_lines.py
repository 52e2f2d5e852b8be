from __future__ import annotations

import json

from deedlog.core.page import MOST_CHARACTERS
from tests.ops.sessions.conftest import Desk, lines, output


def test_the_last_lines_are_told_with_their_numbers(desk: Desk, session: int) -> None:
    output(desk, session, "one", "two", "three")
    found = desk.call("session_lines", sessionId=session, limit=2)
    assert [(row["number"], row["text"], row["stream"]) for row in found["lines"]] == [
        (2, "two", "stdout"),
        (3, "three", "stdout"),
    ]
    assert found["total"] == 3
    assert found["uri"] == desk.session(session).uri
    assert [row["text"] for row in desk.call("session_lines", sessionId=session, beforeLine=3)["lines"]] == [
        "one",
        "two",
    ]


def test_lines_are_read_onwards_until_there_are_no_more(desk: Desk, session: int) -> None:
    printed = [f"{number} {'x' * 300}" for number in range(250)]
    output(desk, session, *printed)
    found, first = [], 1
    while True:
        page = desk.call("session_lines", sessionId=session, fromLine=first)
        assert len(json.dumps(page)) <= MOST_CHARACTERS + 1_000
        found += [row["text"] for row in page["lines"]]
        if "nextLine" not in page:
            break
        first = page["nextLine"]
    assert found == printed
    assert desk.call("session_lines", sessionId=session, fromLine=251)["lines"] == []


def test_a_text_is_found_in_all_of_it_whatever_its_case_and_colours(desk: Desk, session: int) -> None:
    output(desk, session, "nothing", "an \x1b[31mER\x1b[0mror", "no", "error again", "e10%\rdone")
    found = desk.call("session_lines", sessionId=session, contains="Error")
    assert [(row["number"], row["text"]) for row in found["lines"]] == [(2, "an ERror"), (4, "error again")]
    assert found["hits"] == 2
    assert desk.call("session_lines", sessionId=session, contains="e10%")["hits"] == 0
    rest = desk.call("session_lines", sessionId=session, contains="error", fromLine=3)
    assert [row["number"] for row in rest["lines"]] == [4]
    assert rest["hits"] == 2


def test_hits_come_in_pages(desk: Desk, session: int) -> None:
    output(desk, session, *(f"hit {number}" for number in range(10)))
    found = desk.call("session_lines", sessionId=session, contains="hit", limit=4)
    assert [len(found["lines"]), found["hits"], found["nextLine"]] == [4, 10, 5]


def test_a_very_long_line_is_cut_and_says_so(desk: Desk, session: int) -> None:
    output(desk, session, "x" * 90_000)
    row = desk.call("session_lines", sessionId=session)["lines"][0]
    assert len(row["text"]) + row["cut"] == 90_000


def test_lines_that_were_not_recorded_are_told(desk: Desk, session: int) -> None:
    desk.call("session_output", sessionId=session, lines=[{**lines("after")[0], "missed": 7}])
    assert desk.call("session_lines", sessionId=session)["lines"][0]["missed"] == 7


def test_messages_of_clients_are_told_as_people_read_them(desk: Desk, session: int) -> None:
    message = {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look\nat é"}]}}
    output(desk, session, json.dumps(message))
    row = desk.call("session_lines", sessionId=session)["lines"][0]
    assert row["said"] == [{"kind": "said", "text": "I look\nat é"}]
    assert "text" not in row
    assert desk.call("session_lines", sessionId=session, raw=True)["lines"][0]["text"] == json.dumps(message)
    assert desk.call("session_lines", sessionId=session, contains="AT É")["hits"] == 1
    assert desk.call("session_browse")["sessions"][0]["lastLine"] == "I look at é"
