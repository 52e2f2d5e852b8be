from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.room import Room, mark, unmoved, visit


def started(room: Room, **files: str) -> str:
    """A task in progress that wrote these files below src/."""
    workflow = room.call("start_workflow", name="Add authentication")["workflow_id"]
    task = room.call("start_task", workflow_id=workflow, name="Sign tokens", goal="Safely", areas=["src/"])["task_id"]
    write(room, **files)
    return str(task)


def write(room: Room, **files: str) -> None:
    (room.folder / "src").mkdir(exist_ok=True)
    for name, text in files.items():
        (room.folder / "src" / f"{name}.py").write_text(text)


def done(room: Room, **files: str) -> str:
    task = started(room, **files)
    room.call("complete_task", task_id=task, status="success", outcome={"summary": "Signed"})
    return task


def comment(page: Page, path: str, line: int, text: str) -> None:
    page.locator(f'section.file[data-path="{path}"]').get_by_role(
        "button", name=f"Comment on line {line}", exact=True
    ).click()
    page.get_by_role("textbox", name=f"Comment on line {line} of {path}").fill(text)
    page.get_by_role("button", name="Keep comment").click()


@pytest.mark.proves("page:diff:comments")
def test_comments_on_lines_are_sent_back_together_and_reach_the_agent(room: Room, page: Page) -> None:
    task = done(room, a="one = 1\ntwo = 2\nthree = 3\n", b="four = 4\n")
    visit(page, room, f"/task/{task}")
    comment(page, "src/a.py", 2, "Why not a constant?")
    comment(page, "src/b.py", 1, "This name says <nothing>")
    bar = page.get_by_role("form", name="Send back")
    expect(bar).to_contain_text("2 comments")
    page.reload()
    expect(page.get_by_text("Why not a constant?")).to_be_visible()
    expect(bar).to_contain_text("2 comments")
    mark(page)
    bar.get_by_role("textbox").fill("Please look again")
    bar.get_by_role("button", name="Send back").click()
    expect(bar).to_be_hidden()
    expect(page.locator(".talk").get_by_text("Why not a constant?")).to_be_visible()
    expect(page.locator(".task-head .status")).to_have_text(re.compile("open"))
    assert unmoved(page)
    said = room.call("comment_list", task_id=task, status="open")["comments"]
    assert {(row.get("path"), row.get("line"), row["text"]) for row in said} >= {
        ("src/a.py", 2, "Why not a constant?"),
        ("src/b.py", 1, "This name says <nothing>"),
    }
    again = room.call("session_start", taskId=int(task.rpartition("-")[2]), agent="coder")
    assert "Why not a constant?" in str(again["feedback"])


@pytest.mark.proves("page:diff:comments")
def test_a_comment_that_is_being_written_survives_what_happens_meanwhile(room: Room, page: Page) -> None:
    task = done(room, a="one = 1\n")
    visit(page, room, f"/task/{task}")
    page.get_by_role("button", name="Comment on line 1", exact=True).focus()
    page.keyboard.press("Enter")
    box = page.get_by_role("textbox", name="Comment on line 1 of src/a.py")
    box.press_sequentially("Half a ")
    room.call("comment_add", task_id=task, text="Somebody else was here", path="src/a.py", line=1)
    expect(page.locator(".talk").get_by_text("Somebody else was here")).to_be_visible()
    box.press_sequentially("sentence")
    expect(box).to_have_value("Half a sentence")
    box.press("Control+Enter")
    expect(page.locator("tr.draft")).to_contain_text("Half a sentence")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("tr.draft")).to_have_count(0)
    expect(page.get_by_role("form", name="Send back")).to_be_hidden()


@pytest.mark.proves("page:diff:so-far")
def test_changes_of_work_in_progress_follow_it(room: Room, page: Page) -> None:
    task = started(room, a="one = 1\n")
    visit(page, room, f"/task/{task}")
    expect(page.get_by_role("heading", name="Changes so far")).to_be_visible()
    expect(page.locator("tr.ins")).to_have_count(1)
    mark(page)
    write(room, a="ONE = 1\ntwo = 2\n", b="three = 3\n")
    room.call("log_milestone", task_id=task, message="More of it")
    expect(page.locator("tr.ins")).to_have_count(3)
    write(room, b="four = 4\n")
    room.call("log_milestone", task_id=task, message="As many lines, another one")
    expect(page.get_by_text("four = 4")).to_be_visible()
    room.call("complete_task", task_id=task, status="success", outcome={"summary": "Signed"})
    expect(page.get_by_role("heading", name="Changes", exact=True)).to_be_visible()
    expect(page.locator("tr.ins")).to_have_count(3)
    assert unmoved(page)


@pytest.mark.proves("page:diff:layout")
def test_the_layout_is_remembered_where_there_is_room_for_it(room: Room, open_page: OpenPage) -> None:
    (room.folder / "src").mkdir()
    (room.folder / "src" / "a.py").write_text("def f(count):\n    return count\n")
    room.cli("task", "list")
    page = open_page(width=1600)
    task = edited(room)
    visit(page, room, f"/task/{task}")
    expect(page.locator(".lines-table.unified")).to_have_count(1)
    page.get_by_role("button", name="Split").click()
    expect(page.locator(".lines-table.split")).to_have_count(1)
    page.reload()
    expect(page.locator(".lines-table.split")).to_have_count(1)
    page.set_viewport_size({"width": 600, "height": 800})
    expect(page.locator(".lines-table.unified")).to_have_count(1)


def edited(room: Room) -> str:
    """A task that changed a line of README.md."""
    workflow = room.call("start_workflow", name="w")["workflow_id"]
    task = room.call("start_task", workflow_id=workflow, name="Greet", goal="g", areas=["README.md"])["task_id"]
    (room.folder / "README.md").write_text("hello world\n")
    room.call("complete_task", task_id=task, status="success", outcome={"summary": "s"})
    return str(task)


def test_keys_go_from_file_to_file_and_long_files_are_shown_on_demand(room: Room, page: Page) -> None:
    many = "".join(f"value_{number} = {number}\n" for number in range(1_500))
    task = done(room, a="one = 1\n", many=many, z="last = 1\n")
    visit(page, room, f"/task/{task}")
    expect(page.locator("tr.ins").first).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator('section.file[data-path="src/a.py"]')).to_be_focused()
    page.keyboard.press("n")
    long = page.locator('section.file[data-path="src/many.py"]')
    expect(long).to_be_focused()
    expect(long.locator("tr.ins")).to_have_count(400)
    long.get_by_role("button", name="Show more").click()
    expect(long.locator("tr.ins")).to_have_count(800)
    page.keyboard.press("p")
    expect(page.locator('section.file[data-path="src/a.py"]')).to_be_focused()


def test_approving_closes_what_waited(room: Room, page: Page) -> None:
    task = started(room, a="one = 1\n")
    (room.folder / "elsewhere.txt").write_text("x\n")
    room.call("complete_task", task_id=task, status="success", outcome={"summary": "Signed"})
    visit(page, room, f"/task/{task}")
    mark(page)
    expect(page.locator(".asks")).to_have_count(1)
    page.get_by_role("button", name="Widen the scope to 1 file").click()
    expect(page.locator(".asks")).to_have_count(0)
    assert unmoved(page)
    assert room.call("review_list", task_id=task)["reviews"] == []


def test_what_was_folded_stays_folded_while_the_work_goes_on(room: Room, page: Page) -> None:
    task = started(room, a="one = 1\n", b="two = 2\n")
    visit(page, room, f"/task/{task}")
    first = page.locator('section.file[data-path="src/a.py"]')
    expect(first.locator("tr.ins")).to_be_visible()
    first.get_by_role("button", name="Fold the file").click()
    expect(first.locator("tr.ins")).to_be_hidden()
    write(room, c="three = 3\n")
    room.call("log_milestone", task_id=task, message="Another file")
    expect(page.locator('section.file[data-path="src/c.py"]').locator("tr.ins")).to_be_visible()
    expect(first.locator("tr.ins")).to_be_hidden()
    first.get_by_role("button", name="Fold the file").click()
    expect(first.locator("tr.ins")).to_be_visible()


@pytest.mark.proves("page:diff:comments")
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1360, 840)])
def test_what_is_written_on_a_line_stands_above_the_bar_that_sends_it(
    room: Room, open_page: OpenPage, width: int, height: int
) -> None:
    task = done(room, a="".join(f"value_{number} = {number}\n" for number in range(40)))
    page = open_page(width=width, height=height)
    visit(page, room, f"/task/{task}")
    bar = page.get_by_role("form", name="Send back")
    for line in (40, 38):  # the second one with the bar there
        page.locator(f'tr[data-line="{line}"] .code').click()
        box = page.get_by_role("textbox", name=f"Comment on line {line} of src/a.py")
        expect(box).to_be_focused()
        box.press_sequentially("Why?")
        assert reached(page, "tr.draft textarea")
        assert reached(page, "tr.draft .primary")
        expect(bar).to_be_visible(visible=line == 38)
        page.get_by_role("button", name="Keep comment").click()
        expect(bar).to_be_visible()


def reached(page: Page, selector: str) -> bool:
    """Whether a finger on its middle and on its lower edge touches it and nothing above it."""
    return bool(
        page.locator(selector).evaluate(
            """at => { const box = at.getBoundingClientRect();
            return [box.y + box.height / 2, box.bottom - 3].every(
                y => document.elementFromPoint(box.x + box.width / 2, y) === at) }"""
        )
    )


def test_the_arrow_goes_from_a_file_to_its_first_line(room: Room, page: Page) -> None:
    task = done(room, a="one = 1\ntwo = 2\n")
    visit(page, room, f"/task/{task}")
    expect(page.locator("tr.ins").first).to_be_visible()
    for key in ("n", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("textbox", name="Comment on line 2 of src/a.py")).to_be_focused()
