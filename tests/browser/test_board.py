from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.room import Room, live, mark, unmoved, visit


def column(page: Page, name: str) -> Locator:
    return page.locator(f"#column-{name}")


def card(page: Page, ref: str, within: str) -> Locator:
    return column(page, within).locator(f"#card-{ref}")


@pytest.mark.proves("page:board:moves")
def test_a_card_is_dragged_to_another_column(room: Room, page: Page) -> None:
    room.call("task_create", title="Rotate the keys")
    visit(page, room, "/board")
    mark(page)
    card(page, "task-1", "ready").drag_to(column(page, "done"))
    expect(card(page, "task-1", "done")).to_be_visible()
    expect(page.locator("#toasts")).to_contain_text("task-1: done")
    expect(column(page, "done").locator(".count")).to_have_text("1")
    assert room.call("task_get", id=1)["status"] == "done"
    assert unmoved(page)


@pytest.mark.proves("page:board:moves")
def test_a_card_is_moved_by_keys_alone(room: Room, page: Page) -> None:
    room.call("task_create", title="Rotate the keys")
    visit(page, room, "/board")
    page.keyboard.press("j")
    expect(page.locator("#card-task-1")).to_be_focused()
    page.keyboard.press("m")
    expect(page.get_by_role("dialog", name="Move task-1")).to_be_visible()
    page.get_by_role("button", name="Cancelled").focus()
    page.keyboard.press("Enter")
    expect(card(page, "task-1", "cancelled")).to_be_visible()
    expect(page.locator("#toasts")).to_contain_text("task-1: cancelled")
    expect(page.locator("#move")).to_be_hidden()


def test_a_move_is_taken_back_from_where_it_was_told(room: Room, page: Page) -> None:
    room.call("task_create", title="Rotate the keys")
    visit(page, room, "/board")
    card(page, "task-1", "ready").drag_to(column(page, "cancelled"))
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(card(page, "task-1", "ready")).to_be_visible()
    assert room.call("task_get", id=1)["status"] == "open"


def test_headings_stay_while_a_long_column_is_scrolled(room: Room, page: Page) -> None:
    for number in range(20):
        room.call("task_create", title=f"Task {number}")
    page.set_viewport_size({"width": 1360, "height": 800})
    visit(page, room, "/board")
    column(page, "ready").locator(".ticket").last.scroll_into_view_if_needed()
    expect(page.locator("#title-ready")).to_be_in_viewport()


@pytest.mark.proves("page:board:refusals")
def test_what_is_refused_is_told_and_the_card_goes_back(room: Room, page: Page) -> None:
    room.call("task_create", title="The whole")
    room.call("task_create", title="A part", parentId=1)
    visit(page, room, "/board")
    card(page, "task-1", "ready").drag_to(column(page, "done"))
    expect(page.get_by_role("alert").filter(has_text="task-1 has open subtasks")).to_be_visible()
    page.get_by_role("button", name="Leave it where it is").click()
    expect(card(page, "task-1", "ready")).to_be_visible()


def test_whoever_sends_back_is_asked_why(room: Room, page: Page) -> None:
    room.call("task_create", title="Rotate the keys")
    room.call("task_done", id=1)
    visit(page, room, "/board")
    card(page, "task-1", "done").drag_to(column(page, "ready"))
    page.get_by_label("What shall be different").fill("The old keys still work")
    page.get_by_role("button", name="Ready: send back").click()
    expect(card(page, "task-1", "ready")).to_be_visible()
    said = room.call("comment_list", task_id="task-1")["comments"]
    assert [comment["text"] for comment in said] == ["The old keys still work"]


@pytest.mark.proves("page:live:views")
def test_cards_move_by_themselves_when_agents_work(room: Room, page: Page) -> None:
    room.call("task_create", title="Rotate the keys")
    visit(page, room, "/board")
    mark(page)
    expect(card(page, "task-1", "ready")).to_be_visible()
    session = room.call("session_start", taskId=1, agent="coder")["sessionId"]
    expect(card(page, "task-1", "in_progress")).to_contain_text("coder")
    room.call("log_milestone", task_id="task-1", message="half of it", progress=50)
    expect(card(page, "task-1", "in_progress").locator("progress")).to_have_attribute("value", "50")
    room.call("session_end", sessionId=session, exitCode=0)
    expect(card(page, "task-1", "done")).to_be_visible()
    assert unmoved(page)


@pytest.mark.proves("page:board:filters")
def test_a_filter_applies_at_once_and_is_in_the_address(room: Room, page: Page) -> None:
    room.call("task_create", title="tokens", labels=["backend"])
    room.call("task_create", title="button", labels=["frontend"])
    visit(page, room, "/board")
    mark(page)
    page.get_by_label("Text").fill("butt")
    expect(page.locator(".ticket")).to_have_count(1)
    expect(page).to_have_url(f"{room.base}/board?text=butt")
    page.get_by_role("link", name="Clear").click()
    expect(page.locator(".ticket")).to_have_count(2)
    live(page)
    page.get_by_label("Label").fill("backend")
    expect(page.locator(".ticket")).to_have_count(1)
    expect(page.locator("#card-task-1")).to_be_visible()


@pytest.mark.parametrize("width", [360, 2560])
def test_the_page_itself_never_scrolls_sideways(room: Room, open_page: object, width: int) -> None:
    room.call("task_create", title="x" * 150, labels=["y" * 90])
    page = open_page(width=width)  # type: ignore[operator]
    for address in ("/board", "/"):
        visit(page, room, address)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, address


@pytest.mark.proves("page:live:views")
def test_what_has_the_focus_goes_on_changing(room: Room, page: Page) -> None:
    room.call("task_create", title="Rotate the keys")
    visit(page, room, "/board")
    page.locator("#board").focus()
    room.call("task_create", title="Verify tokens")
    expect(card(page, "task-2", "ready")).to_be_visible()
    page.keyboard.press("j")
    room.call("task_update", id=1, title="Rotate all keys")
    expect(card(page, "task-1", "ready")).to_contain_text("Rotate all keys")
