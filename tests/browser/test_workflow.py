from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import Room, mark, unmoved, visit


@pytest.fixture
def workflow_id(room: Room) -> str:
    return str(room.call("start_workflow", name="Move to JWT")["workflow_id"])


def start(room: Room, workflow_id: str, name: str, parent: str | None = None) -> str:
    said = {"workflow_id": workflow_id, "name": name, "goal": "g"}
    return str(room.call("start_task", **said, **({"parent_task_id": parent} if parent else {}))["task_id"])


@pytest.mark.proves("page:workflow:live")
def test_bars_and_marks_appear_without_a_reload_and_bars_grow(room: Room, page: Page, workflow_id: str) -> None:
    start(room, workflow_id, "First")
    visit(page, room, f"/workflow/{workflow_id}")
    mark(page)
    task = start(room, workflow_id, "Read tokens")
    row = page.locator(f"#tl-{task}")
    expect(row.locator(".tl-bar.running")).to_have_count(1)
    width = row.locator(".tl-bar").get_attribute("width")
    expect(row.locator(".tl-bar")).not_to_have_attribute("width", width or "")
    room.call("log_milestone", task_id=task, message="half way", progress=50)
    expect(row.locator(".tl-mark.milestone")).to_have_count(1)
    expect(row.locator("rect.part")).to_have_attribute("width", "50%")
    room.call("complete_task", task_id=task, status="failed", outcome={"summary": "no"})
    expect(row.locator(".tl-bar.failed")).to_have_count(1)
    assert unmoved(page)


def test_the_timeline_is_walked_and_zoomed_by_keys(room: Room, page: Page, workflow_id: str) -> None:
    parent = start(room, workflow_id, "Parent")
    child = start(room, workflow_id, "Child", parent)
    room.call("log_milestone", task_id=child, message="half way")
    visit(page, room, f"/workflow/{workflow_id}")
    chart = page.locator("#timeline")
    page.locator(f"#tl-{parent} .tl-track a").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"#tl-{child} .tl-mark")).to_be_focused()
    expect(page.locator("#tl-tip")).to_contain_text("half way")
    page.keyboard.press("+")
    expect(chart).to_have_attribute("style", "--zoom: 1.6;")
    page.keyboard.press("0")
    expect(chart).to_have_attribute("style", "--zoom: 1;")
    page.locator(f"#tl-{parent} .tl-toggle").click()
    expect(page.locator(f"#tl-{child}")).to_be_hidden()
    room.call("log_milestone", task_id=parent, message="the parent goes on")
    expect(page.locator(f"#tl-{parent} .tl-mark")).to_have_count(1)
    expect(page.locator(f"#tl-{child}")).to_be_hidden()
    page.get_by_text("The same as a table").click()
    expect(page.locator("#tl-table table")).to_contain_text("half way")


MARKS_OUTSIDE = """row => {
  const bar = row.querySelector(".tl-bar").getBoundingClientRect();
  const boxes = [...row.querySelectorAll(".tl-mark:not(.under) use")].map((each) => each.getBoundingClientRect());
  const middles = boxes.map((box) => (box.left + box.right) / 2);
  return middles.filter((x) => x < bar.left - 1 || x > bar.right + 1).length;
}"""


def test_crowded_marks_are_one_with_their_number_inside_the_bar_and_part_by_zooming(
    room: Room, page: Page, workflow_id: str
) -> None:
    task = start(room, workflow_id, "Read tokens")
    for percent in range(10, 90, 10):
        room.call("log_milestone", task_id=task, message="on the way", progress=percent)
    visit(page, room, f"/workflow/{workflow_id}")
    row = page.locator(f"#tl-{task}")
    crowd = row.locator(".tl-mark.many").first
    expect(crowd).to_be_visible()
    expect(crowd).to_have_attribute("aria-label", re.compile(r"^\d marks · milestone, \d0 %: on the way"))
    assert row.evaluate(MARKS_OUTSIDE) == 0
    crowd.dispatch_event("click")  # it moves as time goes on
    expect(page.locator("#timeline")).to_have_attribute("style", "--zoom: 4;")
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")


def test_who_follows_on_a_telephone_sees_what_happens_now(room: Room, page: Page, workflow_id: str) -> None:
    start(room, workflow_id, "Read tokens")
    page.set_viewport_size({"width": 360, "height": 740})
    visit(page, room, f"/workflow/{workflow_id}")
    expect(page.locator(".tl-now")).to_be_in_viewport()


def test_the_graph_changes_while_it_is_looked_at(room: Room, page: Page, workflow_id: str) -> None:
    first = room.call("task_create", title="Login route", workflowId=workflow_id)["id"]
    visit(page, room, f"/workflow/{workflow_id}?show=graph")
    mark(page)
    second = room.call("task_create", title="Web client", workflowId=workflow_id, dependsOn=[first])["id"]
    expect(page.locator(f"#n-task-{second}.blocked")).to_be_visible()
    room.call("task_done", id=first)
    expect(page.locator(f"#n-task-{second}.ready")).to_be_visible()
    page.locator(f"#n-task-{second}").click()
    expect(page).to_have_url(f"{room.base}/task/task-{second}")
