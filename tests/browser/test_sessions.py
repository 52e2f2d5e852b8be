from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deedlog.workers.recorder import NO_MORE, OWN
from tests.browser.room import Room, mark, unmoved, visit
from tests.stand_in_agent import command


@pytest.fixture
def room(repo: Path) -> Iterator[Room]:
    with Room(repo, DEEDLOG_ENABLE="child-ops-fine,supervision") as opened:
        scope = {"read": ["**/*"], "write": ["**/*"], "exclude": []}
        opened.call("agent_create", name="hand", command=command("{prompt_file}"), scope=scope)
        yield opened


def working(room: Room, *lines: str) -> int:
    """A worker that does this."""
    description = "\n".join(f"do: {line}" for line in lines)
    task = room.call("task_create", title="Count sheep", description=description, assignee="hand")["id"]
    return int(room.call("worker_run", taskId=task)["sessionId"])


@pytest.mark.proves("page:log:live")
def test_a_line_appears_as_it_is_printed_and_the_end_of_the_session_too(room: Room, page: Page) -> None:
    gate = room.folder / ".git/gate"
    os.mkfifo(gate)
    session = working(room, "print \x1b[31mone\x1b[0m <b>", f"wait {gate}", "print two")
    visit(page, room, f"/session/{session}")
    expect(page.locator("#log .c1")).to_have_text("one")
    mark(page)
    gate.write_text("go")
    expect(page.locator("#log .line", has_text="two")).to_be_visible()
    expect(page.locator("main .head .status")).to_contain_text("completed")
    expect(page.locator("#log")).to_contain_text("one <b>")
    assert unmoved(page)


@pytest.mark.proves("page:sessions:stop")
def test_a_session_is_stopped_on_its_page_with_a_reason(room: Room, page: Page) -> None:
    session = working(room, "print counting", "hang")
    visit(page, room, f"/session/{session}")
    expect(page.locator("#log")).to_contain_text("counting")
    mark(page)
    page.locator("#stop summary").click()
    page.get_by_label("Why, for the log").fill("wrong <approach>")
    page.get_by_role("button", name="Stop it").click()
    expect(page.get_by_role("note")).to_contain_text("wrong <approach>")
    expect(page.locator("#stop")).to_have_count(0)
    assert unmoved(page)
    visit(page, room, "/sessions?status=cancelled")
    expect(page.locator(f"#session-{session}")).to_be_visible()


def test_a_session_is_stopped_in_the_list(room: Room, page: Page) -> None:
    session = working(room, "print counting", "hang")
    visit(page, room, "/sessions")
    page.get_by_role("button", name=f"Stop session-{session}").click()
    page.locator("#sure").get_by_role("button", name="Yes").click()
    expect(page.locator(f"tr#session-{session}")).to_contain_text("cancelled")


@pytest.mark.proves("page:log:search", "page:log:long")
def test_a_long_log_is_followed_searched_and_read_upwards(room: Room, page: Page) -> None:
    session = working(room, "print needle one", "many 2500 hay", "print needle two", "many 2500 hay", "hang")
    visit(page, room, f"/session/{session}")
    log = page.locator("#log")
    expect(page.locator("#log-total")).to_have_text("5\u202f002")
    expect(page.locator("#L5002")).to_be_in_viewport()
    expect(page.locator("#log-follow")).to_have_attribute("aria-pressed", "true")
    log.hover()
    page.mouse.wheel(0, -3000)
    expect(page.locator("#log-follow")).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Search in the log", exact=True).last.fill("NEEDLE")
    page.keyboard.press("Enter")
    expect(page.locator("#hit-place")).to_have_text("2 of 2")
    expect(page.locator("#L2502 mark")).to_be_in_viewport()
    page.get_by_role("button", name="Next hit").click()
    expect(page.locator("#L1 mark")).to_be_in_viewport()
    page.locator("#L1 a").first.click()
    expect(page).to_have_url(f"{room.base}/session/{session}?line=1#L1")
    page.locator("#log-follow").click()
    expect(page.locator("#L5002")).to_be_in_viewport()
    first = int(str(page.locator("#log .line").first.get_attribute("id"))[1:])
    assert first > 1
    log.evaluate("log => { log.scrollTop = 0 }")
    page.get_by_role("link", name="Earlier lines").click()
    expect(page.locator(f"#L{first - 1}")).to_have_count(1)
    room.call("worker_stop", sessionId=session)


def test_lines_that_turn_out_higher_end_no_following(room: Room, page: Page) -> None:
    session = working(room, "many 500 hay", "hang")
    visit(page, room, f"/session/{session}")
    expect(page.locator("#L500")).to_be_in_viewport()
    following = page.locator("#log").evaluate(
        """async (log) => {
          log.querySelector("#L400").style.paddingBottom = "500px";
          log.scrollTop -= 100;
          for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
          return document.getElementById("log-follow").getAttribute("aria-pressed");
        }"""
    )
    assert following == "true"
    expect(page.locator("#L500")).to_be_in_viewport()
    room.call("worker_stop", sessionId=session)


def test_the_list_tells_the_last_line_of_a_worker_and_its_end(room: Room, page: Page) -> None:
    gate = room.folder / ".git/gate"
    os.mkfifo(gate)
    visit(page, room, "/sessions")
    mark(page)
    session = working(room, "print reading", f"wait {gate}")
    expect(page.locator(f"li#session-{session}")).to_contain_text("reading")
    gate.write_text("go")
    expect(page.locator(f"tr#session-{session}")).to_contain_text("completed")
    assert unmoved(page)


def test_something_is_said_to_a_worker_that_listens(room: Room, page: Page) -> None:
    spawned = room.call("child_spawn", prompt="do: listen", agent="hand", interactive=True)
    visit(page, room, f"/session/{spawned['child_id'].partition('-')[2]}")
    page.get_by_label("Say something to it").fill("good <evening>")
    page.get_by_role("button", name="Say").click()
    expect(page.locator("#log")).to_contain_text("good <evening>")
    room.call("worker_stop", sessionId=int(spawned["child_id"].partition("-")[2]))


@pytest.mark.proves("page:log:long")
def test_following_ends_where_no_more_is_recorded(room: Room, page: Page) -> None:
    task = room.call("task_create", title="Talk")["id"]
    session = int(room.call("session_start", taskId=task, agent="hand")["sessionId"])

    def printed(text: str, stream: str) -> None:
        room.call("session_output", sessionId=session, lines=[{"at": 1, "stream": stream, "text": text}])

    printed("one", "stdout")
    visit(page, room, f"/session/{session}")
    expect(page.locator("#log-follow")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#log-full")).to_be_hidden()
    printed(NO_MORE.format(log="workers/1.log"), OWN)
    expect(page.locator("#log-full")).to_contain_text("workers/1.log")
    expect(page.locator("#log-follow")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#log-follow")).to_be_disabled()
