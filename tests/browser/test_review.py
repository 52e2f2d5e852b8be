from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import PATHS, TOKEN, Room, Watchman, mark, unmoved, visit


def asks(room: Room, question: str, name: str = "Add middleware") -> str:
    """A task that ended with a question for a person."""
    workflow_id = room.call("start_workflow", name=f"Workflow of {name}")["workflow_id"]
    task_id: str = room.call("start_task", workflow_id=workflow_id, name=name, goal="g")["task_id"]
    outcome = {"summary": "s", "manual_review_needed": True, "manual_review_reason": question}
    room.call("complete_task", task_id=task_id, status="success", outcome=outcome)
    return task_id


def verdict(room: Room, task_id: str) -> str:
    found: str = room.call("review_list", status="all", task_id=task_id)["reviews"][0].get("verdict", "")
    return found


@pytest.mark.proves("page:review:decide")
def test_a_click_approves_the_next_is_at_hand_and_it_can_be_taken_back(room: Room, page: Page) -> None:
    first, second = asks(room, "Is the key right?"), asks(room, "Is the table right?", "Make tables")
    visit(page, room, "/review")
    mark(page)
    expect(page.locator("#waiting")).to_contain_text("2")
    page.locator("[data-item]", has_text="Is the key right?").get_by_role("button", name="Approve").click()
    expect(page.get_by_text("Is the key right?")).to_have_count(0)
    expect(page.locator("[data-item]")).to_be_focused()
    expect(page.locator("#waiting")).to_contain_text("1")
    assert verdict(room, first) == "approved"
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Is the key right?")).to_be_visible()
    assert (verdict(room, first), verdict(room, second)) == ("", "")
    assert unmoved(page)


@pytest.mark.proves("page:review:decide")
def test_keys_alone_decide(room: Room, page: Page) -> None:
    first, second = asks(room, "Is the key right?"), asks(room, "Is the table right?", "Make tables")
    visit(page, room, "/review")
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_text("Is the key right?")).to_have_count(0)
    expect(page.locator("[data-item]")).to_be_focused()
    page.keyboard.press("s")
    expect(page.get_by_label("What shall be done about it?")).to_be_focused()
    page.keyboard.type("Drop the second column")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    assert (verdict(room, first), verdict(room, second)) == ("approved", "sent_back")
    comments = room.call("comment_list", task_id=second)["comments"]
    assert [comment["text"] for comment in comments] == ["Drop the second column"]


@pytest.mark.proves("page:review:question-first")
def test_what_comes_to_wait_appears_and_what_is_typed_stays(room: Room, page: Page) -> None:
    asks(room, "Is the key right?")
    visit(page, room, "/review")
    mark(page)
    page.get_by_role("button", name="Send back").first.click()
    box = page.get_by_label("What shall be done about it?")
    box.fill("Rotate it")
    asks(room, "Is the table right?", "Make tables")
    expect(page.get_by_text("Is the table right?")).to_be_visible()
    expect(box.first).to_have_value("Rotate it")
    assert unmoved(page)


@pytest.mark.proves("page:review:decide")
def test_words_for_what_somebody_else_decided_are_not_lost(room: Room, page: Page) -> None:
    task_id = asks(room, "Is the key right?")
    visit(page, room, "/review")
    page.get_by_role("button", name="Send back").click()
    page.get_by_label("What shall be done about it?").fill("Rotate it")
    room.call("task_approve", task_id=task_id)
    expect(page.get_by_text("Somebody else decided meanwhile: Is the key right?")).to_be_visible()
    expect(page.locator("[data-copy='Rotate it']")).to_be_visible()


@pytest.mark.proves("page:review:answer")
def test_a_question_is_answered_in_place(room: Room, page: Page) -> None:
    asked = room.call("require_clarification", user_intention="Add authentication")
    question = asked["questions"][0]
    visit(page, room, "/review")
    mark(page)
    expect(page.get_by_role("heading", name=question["question"])).to_be_visible()
    page.locator("[data-item] fieldset").first.locator("input[type=radio]").first.check()
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_role("heading", name=question["question"])).to_have_count(0)
    answered = room.call("clarification_get", session_id=asked["session_id"])
    assert question["id"] in str(answered)
    assert unmoved(page)


def test_what_an_answer_decided_is_one_click_away(room: Room, page: Page) -> None:
    room.call("require_clarification", user_intention="Add a cache to the product list")
    visit(page, room, "/review")
    page.get_by_role("radio", name="Memcached").check()
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_role("link", name="Read it").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Memcached")


@pytest.mark.proves("page:review:scope", "page:review:evidence")
def test_a_scope_is_widened_by_what_was_outside_it(room: Room, page: Page) -> None:
    workflow_id = room.call("start_workflow", name="w")["workflow_id"]
    task_id = room.call("start_task", workflow_id=workflow_id, name="Paint", goal="g", areas=["auth"])["task_id"]
    (room.folder / "other").mkdir()
    (room.folder / "other/file.txt").write_text("one\ntwo\n")
    room.call("complete_task", task_id=task_id, status="success", outcome={"summary": "s"})
    visit(page, room, "/review")
    item = page.locator("[data-item]")
    item.locator(".touched summary", has_text="other/file.txt").click()
    expect(item.locator(".touched .diff")).to_contain_text("two")
    page.keyboard.press("k")
    page.keyboard.press("a")
    expect(item.get_by_label("It may also touch")).to_have_value("other/file.txt")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()


@pytest.mark.proves("decide:question:answered")
def test_a_question_of_an_agent_is_answered_with_text_and_the_agent_reads_it(room: Room, page: Page) -> None:
    workflow_id = room.call("start_workflow", name="Tables")["workflow_id"]
    task_id = room.call("start_task", workflow_id=workflow_id, name="Make tables", goal="g")["task_id"]
    choices = ["SQLite", "PostgreSQL"]
    first = room.call("question_ask", task_id=task_id, question="Which database?", choices=choices)["question_id"]
    second = room.call("question_ask", task_id=task_id, question="Which <b>schema</b>?")["question_id"]
    visit(page, room, "/review")
    item = page.locator("[data-item]", has_text="Which database?")
    item.get_by_role("button", name="Answer…").click()
    item.get_by_role("button", name="PostgreSQL").click()
    expect(page.get_by_text("Which database?")).to_have_count(0)
    assert room.call("question_get", question_id=first)["answer"] == "PostgreSQL"
    page.locator("[data-item]", has_text="Which <b>schema</b>?").get_by_role("button", name="Answer…").click()
    page.get_by_label("Your answer.").fill("One table\nfor each kind")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    found = room.call("question_get", question_id=second)
    assert (found["answer"], found["verdict"]) == ("One table\nfor each kind", "answered")


@pytest.mark.proves("decide:question:answered")
def test_any_other_review_is_answered_with_text_too(room: Room, page: Page) -> None:
    task_id = asks(room, "Is the key right?")
    visit(page, room, "/review")
    page.get_by_role("button", name="Answer…").click()
    page.get_by_label("Your answer.").fill("It is, but rotate it")
    page.get_by_role("button", name="Send the answer").click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    assert verdict(room, task_id) == "answered"


@pytest.mark.proves("page:review:decide")
def test_a_check_that_fails_again_says_so(room: Room, page: Page, watchman: Watchman) -> None:
    watchman.tolerate("409")  # the merge is refused, by purpose
    check = {"label": "fails", "command": ["false"]}
    task = room.call("task_create", title="Fail", checks=[check])["id"]
    made = room.call("worker_command", taskId=task, scope={"write": ["**"]})
    (room.folder / made["worktree"] / "a.txt").write_text("a")
    room.call("session_end", sessionId=made["sessionId"], exitCode=0)
    status, _ = room.server.post(PATHS["worker_done"], {"sessionId": made["sessionId"]}, TOKEN)
    assert status == 409
    visit(page, room, "/review")
    page.get_by_role("button", name="Check and merge again").click()
    expect(page.locator("#toasts")).to_contain_text("did not pass")
