from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.testing import Clock, app_in, caller
from deedlog.workers.recorder import NO_MORE, OWN
from tests.conftest import Call
from tests.faces.web.page.conftest import Page

FIRST_VIEW = 200_000


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> App:
    """In which tests tell what supervisors tell."""
    (tmp_path / "tree").mkdir()
    plugins = ("tests.ops.sessions.plugin",)
    told = {"clock": clock, "plugins": plugins, "enable": ["supervision"]}
    return app_in(str(tmp_path / "store"), tree=str(tmp_path / "tree"), **told)


@pytest.fixture
def session(call: Call) -> int:
    call("task_create", title="Add <b>login</b>")
    return int(call("session_start", taskId=1, agent="tester")["sessionId"])


def printed(app: App, session: int, *texts: str, stream: str = "stdout") -> None:
    lines: list[dict[str, Any]] = [{"at": 1, "stream": stream, "text": text} for text in texts]
    for start in range(0, len(lines), 1_000):
        given = {"sessionId": session, "lines": lines[start : start + 1_000]}
        app.call("session_output", given, caller())


def test_without_sessions_the_next_command_is_told(page: Page) -> None:
    assert "deedlog worker run" in page.get("/sessions").one(".empty").text


def test_sessions_at_work_come_first_with_their_last_line(page: Page, app: App, call: Call, session: int) -> None:
    printed(app, session, "\x1b[32mreading\x1b[0m <i>it</i>")
    call("task_create", title="Another")
    other = call("session_start", taskId=2, agent="tester")["sessionId"]
    call("session_end", sessionId=other, exitCode=3)
    shown = page.get("/sessions")
    row = shown.one(f"#session-{session}")
    assert "Add <b>login</b>" in row.text
    assert row.one(".last-line").text.strip() == "reading <i>it</i>"
    assert "exit 3" in shown.one(f"tr#session-{other}").text
    assert not page.get("/sessions?status=failed").all(f"#session-{session}")
    assert not page.get("/sessions?agent=nobody").all("[data-row]")


@pytest.mark.proves("page:log:colours")
def test_a_log_is_shown_in_colours_and_everything_is_escaped(page: Page, app: App, session: int) -> None:
    printed(app, session, "\x1b[31m<script>alert(1)</script>\x1b[0m", "50%\r100%")
    shown = page.get(f"/session/{session}")
    assert shown.one("#L1 .c1").text == "<script>alert(1)</script>"
    assert shown.one("#L2 span").text == "100%"
    assert not shown.all("#log script")


@pytest.mark.proves("page:log:long")
def test_a_long_log_is_shown_by_its_end_and_read_upwards(page: Page, app: App, session: int) -> None:
    printed(app, session, *(f"line {number} {'x' * 100}" for number in range(1, 5_001)))
    reply = page.fetch("GET", f"/session/{session}")
    assert len(reply.body) < FIRST_VIEW
    first = int(reply.html.all("#log .line")[0]["id"][1:])
    assert reply.html.all("#log .line")[-1]["id"] == "L5000"
    assert first > 4_000
    before = page.get(f"/part/session/{session}/lines?before={first}")
    assert before.all(".line")[-1]["id"] == f"L{first - 1}"
    after = page.get(f"/part/session/{session}/lines?after=4998")
    assert [line["id"] for line in after.all(".line")] == ["L4999", "L5000"]


@pytest.mark.proves("page:log:long")
def test_a_line_has_an_address_of_its_own(page: Page, app: App, session: int) -> None:
    printed(app, session, *(f"line {number}" for number in range(1, 3_001)))
    shown = page.get(f"/session/{session}?line=1500")
    assert shown.one("#L1500.here").one("span").text == "line 1500"
    assert not shown.all("#L3000")


@pytest.mark.proves("page:log:search")
def test_a_text_is_looked_for_in_all_of_a_log(page: Page, app: App, session: int) -> None:
    printed(app, session, *(f"line {number}" for number in range(1, 3_001)), "an \x1b[31mEr\x1b[0mror & more")
    hits = page.get(f"/part/session/{session}/hits?q=error+%26")
    assert [hit["data-line"] for hit in hits.all("[data-line]")] == ["3001"]
    assert [mark.text for mark in hits.all("mark")] == ["Error &"]
    assert page.get(f"/part/session/{session}/hits?q=line+1").one("[data-hits]")["data-hits"] == "1111"
    assert "Nothing found" in page.get(f"/part/session/{session}/hits?q=absent").text
    assert [mark.text for mark in page.get(f"/session/{session}?q=error").all("#L3001 mark")] == ["Er", "ror"]


def test_colours_that_were_switched_on_before_hold_for_what_comes_live(page: Page, app: App, session: int) -> None:
    printed(app, session, "\x1b[31mred", "still red")
    assert page.get(f"/part/session/{session}/lines?after=1").one("#L2 .c1").text == "still red"


def test_a_log_is_downloaded_as_text(page: Page, app: App, session: int) -> None:
    printed(app, session, "\x1b[31mred\x1b[0m", *(f"line {number}" for number in range(2_000)))
    reply = page.fetch("GET", f"/session/{session}/log.txt")
    assert reply.body.decode().splitlines()[:2] == ["red", "line 0"]
    assert reply.body.decode().splitlines()[-1] == "line 1999"
    assert f"session-{session}.log" in reply.headers["content-disposition"]
    assert b"\x1b[31m" in page.fetch("GET", f"/session/{session}/log.txt?raw=1").body


def test_a_session_that_runs_can_be_stopped_and_one_that_ended_says_how(page: Page, call: Call, session: int) -> None:
    form = page.get(f"/session/{session}").one("form[data-call=/api/worker/stop]")
    assert "data-sure" not in form.attributes  # it opens, and says what happens: that is asking once
    call("worker_stop", sessionId=session, reason="wrong <approach>")
    ended = page.get(f"/session/{session}")
    assert not ended.all("form[data-call=/api/worker/stop]")
    assert "wrong <approach>" in ended.one("[role=note]").text


def test_checks_usage_and_what_is_out_of_scope_are_told(page: Page, call: Call, session: int) -> None:
    check = {"label": "tests", "passed": False, "required": True, "exitCode": 1, "seconds": 2.5, "output": "<b>no</b>"}
    fields = {
        "checks": [check],
        "usage": {"tokens": 1200.0, "cost": 0.25},
        "budget": {"tokens": 5000.0},
        "violations": [{"path": "secret.txt", "reason": "outside of its scope"}],
        "command": ["agent", "--flag"],
    }
    call("change_session", number=session, fields=fields)
    shown = page.get(f"/session/{session}")
    assert "<b>no</b>" in shown.one(".check-output").text
    assert "1 200" in shown.one(".usage").text
    assert "secret.txt" in shown.text
    assert "--flag" in shown.one("#command").text
    assert "0.25" in page.get("/sessions").one(f"#session-{session}").text


def test_an_address_with_the_id_of_a_session_leads_to_it(page: Page, app: App, session: int) -> None:
    uri = app.call("session_lines", {"sessionId": session}, caller())["uri"]
    reply = page.fetch("GET", f"/session/{uri.partition('://')[2]}")
    assert (reply.status, reply.headers["location"]) == (303, f"/session/{session}")
    page.get("/session/999", status=404)


@pytest.mark.proves("page:off:told")
def test_what_is_switched_off_says_how_it_is_switched_on(page: Page, app: App) -> None:
    app.capabilities.switch("tasks", on=False)
    assert "deedlog capability set tasks" in page.get("/sessions").one(".empty").text


@pytest.mark.proves("page:log:messages")
def test_messages_that_agents_print_for_programs_are_shown_as_people_read_them(
    page: Page, app: App, session: int
) -> None:
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "I <b>look</b>\nat it"}]}}
    used = {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}
    found = {"type": "tool_result", "content": "\n".join(f"file {number}" for number in range(40))}
    does = {"type": "assistant", "message": {"content": [used]}}
    gets = {"type": "user", "message": {"content": [found]}}
    printed(app, session, *map(json.dumps, (said, does, gets)))
    shown = page.get(f"/session/{session}")
    assert "I <b>look</b> at it" in shown.one("#L1 .as-said").text
    assert "Bash ls" in shown.one("#L2 .as-tool").text
    assert "file 39" in shown.one("#L3 .as-result details").text
    assert shown.one("#L3 summary").text == "28 more lines"
    assert '"type": "assistant"' in page.get(f"/part/session/{session}/lines?after=0&raw=1").one("#L1").text
    assert page.get(f"/part/session/{session}/hits?q=look%3C/b%3E").all("mark")


def test_a_session_that_printed_nothing_shows_what_it_did_instead_of_an_empty_log(
    page: Page, call: Call, session: int
) -> None:
    call("log_milestone", task_id="task-1", message="Half of <it>", progress=50)
    for _ in ("at work", "ended"):
        shown = page.get(f"/session/{session}")
        assert not shown.all("#log")
        assert "Half of <it>" in shown.one("main").text
        assert shown.one(f"a[href=/task/task-1?session=session-{session}#changes]").text == "Its changes"
        call("session_end", sessionId=session, exitCode=0)
    assert "It printed nothing" in page.get(f"/session/{session}").one("#log-empty").text


@pytest.mark.proves("page:log:long")
def test_a_log_that_is_not_recorded_to_its_end_says_so_above_it(page: Page, app: App, session: int) -> None:
    printed(app, session, "a", "b")
    assert "hidden" in page.get(f"/session/{session}").one("#log-full").attributes
    printed(app, session, NO_MORE.format(log="/tree/.deedlog/workers/1.log"), stream=OWN)
    for address in (f"/session/{session}", f"/session/{session}?line=1"):
        told = page.get(address).one("#log-full")
        assert "hidden" not in told.attributes
        assert "/tree/.deedlog/workers/1.log" in told.text


def test_ended_sessions_are_in_the_order_they_ended(page: Page, call: Call, clock: Clock, session: int) -> None:
    call("task_create", title="Another")
    clock.turn(1)
    other = call("session_start", taskId=2, agent="tester")["sessionId"]
    for each in (other, session):
        clock.turn(60)
        call("session_end", sessionId=each, exitCode=0)
    rows = page.get("/sessions").all("tbody tr")
    assert [row["id"] for row in rows] == [f"session-{session}", f"session-{other}"]
