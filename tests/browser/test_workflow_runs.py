"""A run of a workflow, held and ended by a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import Room, mark, unmoved, visit
from tests.stand_in_agent import command

MODULES = "plan-lifecycle,cancellation"


@pytest.fixture
def room(repo: Path) -> Iterator[Room]:
    with Room(repo, DEEDLOG_ENABLE=MODULES) as opened:
        scope = {"read": ["**/*"], "write": ["**/*"], "exclude": []}
        opened.call("agent_create", name="hand", command=command("{prompt_file}"), scope=scope)
        yield opened
        for run in opened.call("plan_list")["runs"]:
            if run["state"] in ("running", "paused"):
                opened.call("plan_cancel", run_id=run["run_id"])


@pytest.mark.proves("page:workflow:hold")
def test_a_run_is_started_paused_resumed_and_cancelled(room: Room, page: Page) -> None:
    workflow_id = room.call("start_workflow", name="Move to JWT")["workflow_id"]
    said = {"title": "Wait", "description": "do: hang", "assignee": "hand", "workflowId": workflow_id}
    room.call("task_create", **said)
    visit(page, room, f"/workflow/{workflow_id}?show=plan")
    mark(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Yes").click()
    state = page.locator("section[aria-labelledby=runs] > .row .status")
    expect(state).to_have_text("◐running")
    expect(page.locator("section[aria-labelledby=runs] tbody .status")).to_have_text("◐running")
    expect(page.locator("section[aria-labelledby=runs] .note")).to_have_count(0)  # that the page itself tells
    page.get_by_role("button", name="Pause").click()
    expect(state).to_have_class("status paused")
    page.get_by_role("button", name="Resume").click()
    expect(state).to_have_class("status running")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Yes").click()
    expect(state).to_have_class("status cancelled")
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    assert unmoved(page)
    assert room.call("plan_list")["runs"][0]["state"] == "cancelled"


def test_a_workflow_is_ended_on_its_page(room: Room, page: Page) -> None:
    workflow_id = room.call("start_workflow", name="Move to JWT")["workflow_id"]
    visit(page, room, f"/workflow/{workflow_id}?show=plan")
    page.get_by_text("End this workflow").click()
    page.get_by_label("What was achieved").fill("All routes use tokens")
    page.get_by_role("button", name="End it").click()
    expect(page.locator(".head .status")).to_have_class("status completed")
    assert room.call("workflow_get", workflow_id=workflow_id)["summary"] == "All routes use tokens"
