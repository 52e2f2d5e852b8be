from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import Room, mark, unmoved, visit


@pytest.mark.proves("page:live:views")
def test_a_task_is_followed_from_its_start_to_its_end(room: Room, page: Page) -> None:
    visit(page, room)
    mark(page)
    expect(page.get_by_text("deedlog init")).to_be_visible()
    workflow_id = room.call("start_workflow", name="Add login")["workflow_id"]
    task_id = room.call("start_task", workflow_id=workflow_id, name="Verify tokens", goal="g")["task_id"]
    running = page.locator(".runs [data-row]")
    expect(running).to_contain_text("Verify tokens")
    room.call("log_milestone", task_id=task_id, message="expiry is open", progress=60)
    expect(running.locator("progress")).to_have_attribute("value", "60")
    issue = {"type": "other", "description": "Which key server?", "resolution": "guessed"}
    room.call("log_issue", task_id=task_id, **issue, requires_human_review=True)
    expect(page.locator(".waits")).to_contain_text("Which key server?")
    expect(page.locator(".flows svg")).to_have_attribute("aria-label", "1 in progress")
    (room.folder / "token.py").write_text("one\ntwo\n")
    room.call("complete_task", task_id=task_id, status="success", outcome={"summary": "Tokens are verified."})
    ended = page.locator(".ended [data-row]")
    expect(ended).to_contain_text("Tokens are verified.")
    expect(ended.locator(".added")).to_have_text("+2")
    expect(page.locator(".runs")).to_contain_text("Nobody is at work")
    assert unmoved(page)
