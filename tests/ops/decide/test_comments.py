"""Where comments turn up."""

from __future__ import annotations

import pytest

from deedlog.core.launch import prompt
from deedlog.work.commenting import feedback_text
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
    assert item["question"] == (
        "Does the work on “a task” answer the open comment on it? It came while it was being done."
    )
    people(work.app, "task_approve", task_id=task_id)
    assert waits(work.app) == []


def test_feedback_is_kept_short_and_says_what_it_leaves_out(board: Board) -> None:
    number = board.create()
    board.end(board.start(number))
    said = [{"path": "a.py", "line": line, "text": f"{line} " + "x" * 3_000} for line in range(1, 101)]
    people(board.app, "task_send_back", task_id=str(number), comments=said)
    told = board.get(number)["feedback"]
    assert len(str(told)) < 12_000
    assert told[-1]["text"].startswith("100 x")
    assert told[0] == {"left_out": 100 - len(told) + 1, "hint": f"comment_list task-{number} has all"}
    assert (told[-1]["text"][-1], told[-1]["cut"]) == ("…", "it has 3,004 characters: comment_list has all")


def test_a_prompt_quotes_only_what_people_said() -> None:
    rows = [
        {"left_out": 1, "hint": "comment_list task-1 has all"},
        {"path": "a`b\n# hi", "line": 3, "side": "old", "text": "x\x1b[31m\u202e\ny", "cut": "it has 3,004 characters"},
    ]
    assert feedback_text(rows) == (
        "- 1 earlier comment is left out here: comment_list task-1 has all\n"
        "- ``a`b # hi:3`` (as it was before) (it has 3,004 characters):\n  > x\n  > y"
    )


@pytest.mark.proves("decide:comment:whole")
def test_an_agent_reads_the_whole_of_a_long_comment(board: Board) -> None:
    number = board.create()
    board.end(board.start(number))
    people(board.app, "task_send_back", task_id=str(number), message="L" * 4_000 + "END")
    (row,) = board.call("comment_list", task_id=str(number))["comments"]
    assert row["text"].endswith("LEND")
    assert board.app.catalog["comment_list"].is_tool


def test_a_prompt_without_feedback_has_no_section_for_it(board: Board) -> None:
    from deedlog.core.agent import BUILT_IN

    task = board.task(board.create())
    assert "## Feedback" not in prompt(task, BUILT_IN["coder"], scope={})
    assert "## Feedback\nsaid" in prompt(task, BUILT_IN["coder"], scope={}, feedback="said")


@pytest.mark.proves("decide:comment:reaches")
def test_comments_on_tasks_that_are_over_do_not_crowd_out_the_others(work: Work) -> None:
    over, again = work.start("Over"), work.start("Again")
    for task_id in (over, again):
        work.complete(task_id)
    people(work.app, "task_send_back", task_id=again, message="Important")
    for number in range(60):
        people(work.app, "comment_add", task_id=over, text=f"Nice {number}")
    (row,) = work.call("start_task", workflow_id=work.workflow_id, name="n", goal="g")["feedback"]
    assert (row["task_id"], row["text"]) == (again, "Important")


def test_what_is_left_out_of_the_comments_of_a_workflow_is_counted(work: Work) -> None:
    task_id = work.start()
    for number in range(60):
        people(work.app, "comment_add", task_id=task_id, text=f"Mind {number}")
    left, *told = work.call("start_task", workflow_id=work.workflow_id, name="n", goal="g")["feedback"]
    assert left["left_out"] + len(told) == 60
    assert told[-1]["text"] == "Mind 59"
