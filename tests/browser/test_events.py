from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import Room, live, mark, unmoved, visit


@pytest.mark.proves("page:events:tail")
def test_what_happens_appears_on_top_once_and_without_a_reload(room: Room, page: Page) -> None:
    room.call("start_workflow", name="First")
    visit(page, room, "/events")
    mark(page)
    for name in ("Second", "Third"):
        room.call("start_workflow", name=name)
    expect(page.locator("#event-3")).to_contain_text("workflow Third started")
    expect(page.locator("#log li")).to_have_count(3)
    assert page.locator("#log li").evaluate_all("rows => rows.map((row) => row.id)") == [
        "event-3",
        "event-2",
        "event-1",
    ]
    assert unmoved(page)


@pytest.mark.proves("page:events:tail", "page:events:filters")
def test_only_what_fits_the_filters_appears(room: Room, page: Page) -> None:
    visit(page, room, "/events?kind=task")
    workflow_id = room.call("start_workflow", name="First")["workflow_id"]
    room.call("start_task", workflow_id=workflow_id, name="Paint", goal="g")
    expect(page.locator("#log li")).to_have_count(1)
    expect(page.locator("#log li")).to_contain_text("Paint started")


@pytest.mark.proves("page:events:tail")
def test_while_it_is_paused_new_rows_are_counted_and_then_shown(room: Room, page: Page) -> None:
    room.call("start_workflow", name="First")
    visit(page, room, "/events")
    page.get_by_role("button", name="Pause").click()
    room.call("start_workflow", name="Second")
    room.call("start_workflow", name="Third")
    expect(page.get_by_role("button", name="2 new events")).to_be_visible()
    expect(page.locator("#log li")).to_have_count(1)
    page.get_by_role("button", name="2 new events").click()
    expect(page.locator("#log li")).to_have_count(3)
    expect(page.locator("#fresh")).to_be_hidden()


@pytest.mark.proves("page:events:change")
def test_a_row_opens_what_changed_by_click_and_by_key(room: Room, page: Page) -> None:
    workflow_id = room.call("start_workflow", name="First")["workflow_id"]
    room.call("complete_workflow", workflow_id=workflow_id)
    visit(page, room, "/events")
    page.get_by_role("button", name="What changed in event 2").click()
    expect(page.locator("#change-2")).to_contain_text("in_progress")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#change-1 table")).to_contain_text("First")
    page.keyboard.press("Enter")
    expect(page.locator("#change-1")).to_be_hidden()


@pytest.mark.proves("page:search:jumps")
def test_a_slash_and_a_word_find_and_enter_opens(room: Room, page: Page) -> None:
    workflow_id = room.call("start_workflow", name="Add login")["workflow_id"]
    visit(page, room, "/events")
    page.keyboard.press("/")
    page.keyboard.type("login")
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_text("login")
    live(page)
    expect(page.locator("#main [data-row]").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/workflow/{workflow_id}")
