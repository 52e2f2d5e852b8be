from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.room import Room, mark, unmoved, visit


def test_what_an_agent_does_appears_without_a_reload(room: Room, page: Page) -> None:
    visit(page, room)
    mark(page)
    room.call("start_workflow", name="Add authentication")
    expect(page.get_by_role("link", name="Add authentication")).to_be_visible()
    assert unmoved(page)
