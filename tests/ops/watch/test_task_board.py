from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from tests.conftest import Call

Json = dict[str, Any]


def board(call: Call, **asked: object) -> dict[str, Json]:
    return {column["name"]: column for column in call("task_board", **asked)["columns"]}


def titles(column: Json) -> list[str]:
    return [card["name"] for card in column["tasks"]]


def placed(call: Call, **asked: object) -> dict[str, list[str]]:
    """The columns that have cards, with what they are called."""
    return {name: titles(column) for name, column in board(call, **asked).items() if column["tasks"]}


def add(call: Call, title: str, **more: object) -> int:
    return int(call("task_create", title=title, **more)["id"])


@pytest.fixture
def of_each(call: Call) -> None:
    """A task in each column."""
    first = add(call, "ready", priority="high")
    add(call, "blocked", dependsOn=[first])
    call("session_start", taskId=add(call, "at work"), agent="coder")
    for title, exit_code in (("done", 0), ("failed", 1)):
        session_id = call("session_start", taskId=add(call, title), agent="coder")["sessionId"]
        call("session_end", sessionId=session_id, exitCode=exit_code)
    for review in call("review_list")["reviews"]:  # of the worker that failed
        call("review_close", review_id=review["review_id"], verdict="noted")
    call("task_cancel", id=add(call, "dropped"))
    number = add(call, "asks")
    call("session_start", taskId=number, agent="coder")
    issue = {"type": "other", "description": "which key?", "resolution": "guessed", "requires_human_review": True}
    call("log_issue", task_id=f"task-{number}", **issue)


EACH = {
    "ready": ["ready"],
    "blocked": ["blocked"],
    "in_progress": ["at work"],
    "review": ["asks"],
    "done": ["done"],
    "failed": ["failed"],
    "cancelled": ["dropped"],
}


@pytest.mark.proves("page:board:columns")
@pytest.mark.usefixtures("of_each")
def test_every_task_stands_in_one_column(call: Call) -> None:
    assert placed(call) == EACH
    assert {name: column["count"] for name, column in board(call).items()} == dict.fromkeys(EACH, 1)


@pytest.mark.usefixtures("of_each")
def test_one_column_can_be_asked_for_alone(call: Call) -> None:
    assert placed(call, column="review") == {"review": ["asks"]}


@pytest.mark.usefixtures("of_each")
def test_a_card_says_what_it_waits_for_and_what_is_asked(call: Call) -> None:
    found = board(call)
    assert found["blocked"]["tasks"][0]["waits_for"] == ["task-1"]
    card = found["review"]["tasks"][0]
    assert (card["attention"], card["status"]) == ("review", "in_progress")
    assert "which key?" in card["question"]


@pytest.mark.proves("page:board:moves")
@pytest.mark.usefixtures("of_each")
def test_a_move_that_a_card_offers_is_taken(call: Call) -> None:
    for name, operation in (("cancelled", "task_reopen"), ("failed", "task_reopen")):
        (card,) = board(call)[name]["tasks"]
        assert card["moves"]["ready"] == operation
        call(operation, id=int(card["task_id"].removeprefix("task-")))
    assert sorted(titles(board(call)["ready"])) == ["dropped", "failed", "ready"]
    assert board(call)["ready"]["tasks"][0]["moves"] == {"done": "task_done", "cancelled": "task_cancel"}
    call("task_done", id=1)
    assert "blocked" in titles(board(call)["ready"])


@pytest.mark.usefixtures("of_each")
def test_what_needs_a_person_is_approved_or_sent_back(call: Call) -> None:
    (card,) = board(call)["review"]["tasks"]
    assert card["moves"] == {"ready": "task_send_back"}  # what is still at work cannot be approved
    (review,) = call("review_list")["reviews"]
    call("review_close", review_id=review["review_id"], verdict="approved")
    assert sorted(titles(board(call)["in_progress"])) == ["asks", "at work"]
    (card,) = board(call)["done"]["tasks"]
    call(card["moves"]["ready"], task_id=card["task_id"])
    assert "done" in titles(board(call)["ready"])


@pytest.mark.usefixtures("of_each")
def test_what_is_at_work_is_not_moved_by_hand(call: Call) -> None:
    assert board(call)["in_progress"]["tasks"][0]["moves"] == {}


def test_what_somebody_has_claimed_is_in_progress_with_its_holder(call: Call) -> None:
    add(call, "claimed")
    call("task_next")
    (card,) = board(call)["in_progress"]["tasks"]
    assert (card["name"], card["status"], card["holder"]) == ("claimed", "open", "tester")


def test_what_failed_and_is_to_be_tried_again_is_in_the_queue(call: Call) -> None:
    number = add(call, "again")
    call("session_end", sessionId=call("session_start", taskId=number, agent="coder")["sessionId"], exitCode=1)
    for review in call("review_list")["reviews"]:
        call("review_close", review_id=review["review_id"], verdict="noted")
    call("task_reopen", id=number)
    assert placed(call) == {"ready": ["again"]}
    assert board(call)["failed"]["count"] == 0
    assert board(call)["ready"]["tasks"][0]["retry"] is True


def test_the_ready_stand_in_the_order_in_which_they_are_handed_out(call: Call, clock: Clock) -> None:
    for title, priority in (("later", "low"), ("first", "critical"), ("second", "critical")):
        add(call, title, priority=priority)
        clock.turn(1)
    assert titles(board(call)["ready"]) == ["first", "second", "later"]


@pytest.mark.proves("page:board:filters")
def test_filters_narrow_what_is_shown_and_counted(call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    add(call, "tokens", labels=["backend"], workflowId=workflow_id)
    add(call, 'the "backend" button', labels=["frontend"], assignee="coder")
    add(call, "words 100%", labels=["docs"], areas=["docs"])
    assert placed(call, label="backend") == {"ready": ["tokens"]}
    assert placed(call, agent="coder") == {"ready": ['the "backend" button']}
    assert placed(call, area="docs") == {"ready": ["words 100%"]}
    assert placed(call, workflow_id=workflow_id) == {"ready": ["tokens"]}
    assert placed(call, text="100%") == {"ready": ["words 100%"]}
    assert placed(call, text="BUTTON", label="frontend") == {"ready": ['the "backend" button']}
    assert placed(call, text="button", label="backend") == {}
    assert board(call, label="backend")["ready"]["count"] == 1


def test_what_an_agent_worked_on_is_found_though_it_is_not_assigned_to_it(call: Call) -> None:
    call("session_start", taskId=add(call, "mine"), agent="coder")
    add(call, "not mine")
    assert placed(call, agent="coder") == {"in_progress": ["mine"]}


@pytest.mark.usefixtures("of_each")
def test_a_filter_puts_no_task_into_another_column(call: Call) -> None:
    for name, (title,) in EACH.items():
        assert placed(call, text=title)[name] == [title]


def test_a_long_column_says_how_many_there_are(call: Call) -> None:
    for number in range(5):
        add(call, f"t{number}", labels=["x"])
    for asked in ({}, {"label": "x"}):
        column = board(call, limit=2, **asked)["ready"]
        assert (titles(column), column["count"], column["more"]) == (["t0", "t1"], 5, True)
    assert "more" not in board(call, limit=5)["ready"]


def test_the_choices_of_the_filters_are_what_is_there(call: Call) -> None:
    call("start_workflow", name="Add login")
    add(call, "a", labels=["x", "y"], areas=["auth"], assignee="coder")
    found = call("task_board")
    assert (found["labels"], found["agents"], found["areas"]) == (["x", "y"], ["coder"], ["auth"])
    assert [row["name"] for row in found["workflows"]] == ["Add login"]


def test_a_board_of_an_unknown_workflow_is_refused(call: Call) -> None:
    with pytest.raises(NotFound, match="no workflow"):
        call("task_board", workflow_id="wf-none")
