from __future__ import annotations

from tests.ops.sessions.conftest import Desk, output


def test_sessions_are_told_with_their_tasks_and_the_last_line_of_those_that_run(desk: Desk, session: int) -> None:
    output(desk, session, "\x1b[32mreading\x1b[0m the task", "")
    row = desk.call("session_browse")["sessions"][0]
    assert (row["id"], row["status"], row["lastLine"]) == (session, "running", "reading the task")
    assert row["taskName"]
    assert row["uri"] == desk.session(session).uri


def test_counts_tell_how_many_there_are_by_status(desk: Desk, session: int) -> None:
    desk.end(session)
    desk.start(desk.task("Another"))
    found = desk.call("session_browse")
    assert (found["counts"]["completed"], found["counts"]["running"], found["counts"]["failed"]) == (1, 1, 0)
    assert [row["id"] for row in desk.call("session_browse", status="ended")["sessions"]] == [session]
    assert "lastLine" not in desk.call("session_browse", status="ended")["sessions"][0]


def test_sessions_are_filtered_by_who_works_and_told_in_pages(desk: Desk) -> None:
    made = [desk.start(desk.task(f"Task {number}"), agent="coder" if number % 2 else "tester") for number in range(6)]
    for number in made:
        desk.end(number)
    found, cursor = [], None
    while True:
        page = desk.call("session_browse", agent="coder", limit=2, cursor=cursor)
        found += [row["id"] for row in page["sessions"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert found == [made[5], made[3], made[1]]
