"""Where comments turn up."""

from __future__ import annotations

import pytest

from deedlog.core.launch import prompt
from tests.ops.decide.conftest import people, waits
from tests.ops.tasks.conftest import Board
from tests.ops.track.conftest import Work


@pytest.mark.proves("decide:comment:reaches")
def test_whoever_asks_about_the_task_or_takes_it_is_told(board: Board) -> None:
    number = board.create()
    board.end(board.start(number))
    said = {"path": "a.py", "line": 2, "text": "Why?"}
    people(board.app, "task_send_back", task_id=str(number), comments=[said])
    told = [{"path": "a.py", "line": 2, "side": "new", "text": "Why?", "by": "ann"}]

    def without_id(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{name: value for name, value in row.items() if name != "comment_id"} for row in rows]

    assert without_id(board.get(number)["feedback"]) == told
    taken = board.next()
    assert without_id(taken["task"]["feedback"]) == told
    assert without_id(board.call("task_heartbeat", id=number)["feedback"]) == told
    started = board.call("session_start", taskId=number, agent="coder")
    assert without_id(started["feedback"]) == told


def test_who_starts_another_task_of_the_workflow_hears_what_was_sent_back(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    people(work.app, "task_send_back", task_id=task_id, message="Not yet")
    started = work.call("start_task", workflow_id=work.workflow_id, name="n", goal="g")
    (row,) = started["feedback"]
    assert (row["task_id"], row["text"]) == (task_id, "Not yet")
    other = work.call("start_workflow", name="other")["workflow_id"]
    assert "feedback" not in work.call("start_task", workflow_id=other, name="n", goal="g")


@pytest.mark.proves("decide:comment:reaches")
def test_who_is_at_work_hears_of_a_comment_with_the_next_thing_it_says(work: Work) -> None:
    task_id = work.start()
    assert "warnings" not in work.call("log_milestone", task_id=task_id, message="m")
    people(work.app, "comment_add", task_id=task_id, text="Mind the tests")
    (warning,) = work.call("log_milestone", task_id=task_id, message="m")["warnings"]
    assert "task_get" in warning
    number = int(task_id.removeprefix("task-"))
    assert [row["text"] for row in work.call("task_get", id=number)["feedback"]] == ["Mind the tests"]


@pytest.mark.proves("decide:comment:reaches")
def test_a_comment_is_an_event_of_its_task(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    people(work.app, "task_send_back", task_id=task_id, comments=[{"path": "a.py", "line": 2, "text": "Why?"}])
    lines = [event["text"] for event in work.call("event_list", subject=f"task://{task_id}")["events"]]
    assert any("comment on a.py:2: Why?" in line for line in lines), lines
    assert f"{task_id} a task sent back" in lines


@pytest.mark.proves("decide:comment:open")
def test_work_that_ends_with_comments_open_is_looked_at_again(work: Work) -> None:
    task_id = work.start()
    people(work.app, "comment_add", task_id=task_id, text="Mind the tests")
    work.complete(task_id)
    (item,) = waits(work.app)
    assert (item["kind"], item["detail"]["reason"]) == ("review", "comments")
    assert item["question"] == f"{task_id} was worked on: 1 comment(s) on it are open"
    people(work.app, "task_approve", task_id=task_id)
    assert waits(work.app) == []


def test_feedback_is_kept_short_and_says_what_it_leaves_out(board: Board) -> None:
    number = board.create()
    board.end(board.start(number))
    said = [{"path": "a.py", "line": line, "text": f"{line} " + "x" * 3_000} for line in range(1, 121)]
    people(board.app, "task_send_back", task_id=str(number), comments=said)
    told = board.get(number)["feedback"]
    assert len(str(told)) < 12_000
    assert told[-1]["text"].startswith("120 ")
    assert told[0]["text"] == f"{120 - len(told) + 1} earlier comments: `deedlog comment list task-{number}` has all"


def test_a_prompt_without_feedback_has_no_section_for_it(board: Board) -> None:
    from deedlog.core.agent import BUILT_IN

    task = board.task(board.create())
    assert "## Feedback" not in prompt(task, BUILT_IN["coder"], scope={})
    assert "## Feedback\nsaid" in prompt(task, BUILT_IN["coder"], scope={}, feedback="said")
