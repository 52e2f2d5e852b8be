from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.remark import Comment
from deedlog.core.workflow import Workflow
from tests.ops.decide.conftest import people, stored
from tests.ops.tasks.conftest import Board
from tests.ops.tasks.test_random_boards import wrong
from tests.ops.track.conftest import Work


def done(board: Board, number: int) -> None:
    board.end(board.start(number))


@pytest.mark.proves("decide:back:every-state")
def test_a_task_that_was_done_is_in_the_queue_again_with_what_was_said(work: Work) -> None:
    task_id = work.start("Add middleware")
    work.complete(task_id)
    said = {"path": "src/a.py", "line": 12, "text": "Why twice?"}
    answer = people(work.app, "task_send_back", task_id=task_id, message="Not yet", comments=[said])
    assert (answer["status"], answer["comments"], answer["reviews_closed"]) == ("open", 2, 0)
    assert "task_next" in answer["hint"]
    rows = people(work.app, "comment_list", task_id=task_id)["comments"]
    assert [(row.get("path"), row.get("line"), row["text"], row["by"]) for row in rows] == [
        (None, None, "Not yet", "ann"),
        ("src/a.py", 12, "Why twice?", "ann"),
    ]
    assert rows[0]["session_id"] == "session-1"
    assert work.call("task_next")["task"]["id"] == 1


def test_its_workflow_that_had_ended_by_itself_goes_on(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    assert work.app.ledger.get(Workflow, work.workflow_id).status == "completed"
    people(work.app, "task_send_back", task_id=task_id, message="Again")
    assert work.app.ledger.get(Workflow, work.workflow_id).status == "in_progress"


def test_a_workflow_that_somebody_ended_goes_on_and_that_is_said(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    work.call("complete_workflow", workflow_id=work.workflow_id, status="completed", summary="all done")
    answer = people(work.app, "task_send_back", task_id=task_id, message="Again")
    assert "in progress again" in answer["hint"]
    assert work.app.ledger.get(Workflow, work.workflow_id).status == "in_progress"


def test_what_waits_for_it_and_was_not_begun_waits_again(board: Board) -> None:
    first = board.create("first")
    second = board.create("second", dependsOn=[first])
    done(board, first)
    assert board.get(second)["ready"]
    people(board.app, "task_send_back", task_id=str(first), message="Again")
    assert board.get(second)["waitingFor"] == [first]
    assert wrong(board.app) == []
    done(board, first)
    assert board.get(first)["status"] == "done"
    assert board.get(second)["ready"]
    assert wrong(board.app) == []


def test_what_was_begun_on_top_of_it_and_what_it_is_a_part_of_are_named(board: Board) -> None:
    whole = board.create("whole")
    first = board.create("first", parentId=whole)
    begun = board.create("begun", dependsOn=[first])
    board.create("not begun", dependsOn=[first])
    done(board, first)
    board.start(begun)
    done(board, whole)
    answer = people(board.app, "task_send_back", task_id=str(first), message="Again")
    assert answer["warnings"] == [
        f"begun or done on top of it: task-{begun}",
        f"task-{whole}, which it is a part of, is done",
    ]


@pytest.mark.proves("decide:back:every-state")
def test_a_failed_task_is_to_be_done_again_not_failed_any_more(board: Board) -> None:
    number = board.create()
    board.end(board.start(number), exit_code=1)
    assert board.get(number)["status"] == "failed"
    answer = people(board.app, "task_send_back", task_id=str(number), message="Try the other way")
    assert answer["status"] == "open"
    assert board.next()["task"]["id"] == number
    done(board, number)
    assert board.get(number)["status"] == "done"


@pytest.mark.proves("decide:back:every-state")
def test_a_task_that_is_worked_on_stays_so_and_is_told(work: Work) -> None:
    task_id = work.start()
    answer = people(work.app, "task_send_back", task_id=task_id, message="Mind the tests")
    assert answer["status"] == "in_progress"
    assert "session-1 is at work on it" in answer["hint"]
    work.complete(task_id)
    assert stored(work.app, task_id).status == "done"


def test_a_cancelled_task_is_not_sent_back(board: Board) -> None:
    number = board.create()
    board.call("task_cancel", id=number)
    refusal = board.refused("task_send_back", task_id=str(number), message="Again")
    assert isinstance(refusal, Conflict)
    assert "task_reopen" in refusal.hint


def test_nothing_is_sent_back_where_there_is_nothing_to_send_and_nothing_to_say(board: Board) -> None:
    number = board.create()
    assert isinstance(board.refused("task_send_back", task_id=str(number)), Conflict)
    answer = people(board.app, "task_send_back", task_id=str(number), message="Mind the tests")
    assert (answer["status"], answer["comments"]) == ("open", 1)


def test_its_open_reviews_are_closed_as_sent_back(work: Work) -> None:
    task_id = work.start(areas=["auth"])
    work.write("other/file.txt")
    work.complete(task_id)
    assert [row["reason"] for row in work.call("review_list")["reviews"]] == ["scope"]
    answer = people(work.app, "task_send_back", task_id=task_id, message="Leave that file alone")
    assert answer["reviews_closed"] == 1
    (row,) = work.call("review_list", status="closed")["reviews"]
    assert (row["verdict"], row["note"], row["reviewed_by"]) == ("sent_back", "Leave that file alone", "ann")


def test_a_line_needs_its_file_and_nothing_is_stored_without(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    with pytest.raises(Invalid, match="of which file"):
        people(work.app, "task_send_back", task_id=task_id, comments=[{"text": "x", "line": 3}])
    assert stored(work.app, task_id).status == "done"
    assert work.app.ledger.find(Comment, limit=1) == []


@pytest.mark.proves("decide:back:undone")
def test_sending_back_can_be_undone(work: Work) -> None:
    task_id = work.start(areas=["auth"])
    work.write("other/file.txt")
    work.complete(task_id)
    people(work.app, "task_send_back", task_id=task_id, message="Again")
    people(work.app, "ledger_undo")
    assert stored(work.app, task_id).status == "done"
    assert work.app.ledger.find(Comment, limit=1) == []
    assert [row["reason"] for row in work.call("review_list")["reviews"]] == ["scope"]
    assert work.app.ledger.get(Workflow, work.workflow_id).status == "completed"


@pytest.mark.proves("decide:back:undone")
def test_it_is_not_undone_once_somebody_works_on_the_task_again(board: Board) -> None:
    number = board.create()
    done(board, number)
    people(board.app, "task_send_back", task_id=str(number), message="Again")
    board.start(number)
    with pytest.raises(Conflict):
        people(board.app, "ledger_undo")
    assert board.get(number)["status"] == "in_progress"


def test_the_same_task_can_be_sent_back_again_and_again(board: Board) -> None:
    number = board.create()
    for time in range(1, 4):
        done(board, number)
        people(board.app, "task_send_back", task_id=str(number), message=f"No {time}")
        assert stored(board.app, number).sent_back == time
    done(board, number)
    assert board.get(number)["status"] == "done"
    assert [row["text"] for row in people(board.app, "comment_list", task_id=str(number))["comments"]] == [
        "No 1",
        "No 2",
        "No 3",
    ]
    assert wrong(board.app) == []


def test_who_completes_it_again_without_beginning_again_is_told(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    people(work.app, "task_send_back", task_id=task_id, message="No")
    with pytest.raises(Conflict, match="was sent back") as refusal:
        work.complete(task_id)
    assert "session_start" in refusal.value.hint
    assert work.call("task_report", task_id=task_id)["status"] == "open"
    (row,) = work.call("session_list", taskId=1)["sessions"]
    assert row["sentBack"]


def test_a_task_with_comments_is_not_deleted(board: Board) -> None:
    number = board.create()
    people(board.app, "comment_add", task_id=str(number), text="Mind the tests")
    assert "comment" in board.refused("task_delete", id=number).message


def test_who_holds_the_task_is_named_where_it_is_not_in_the_queue(board: Board) -> None:
    number = board.create()
    board.next(actor="bot")
    hint = people(board.app, "task_send_back", task_id=str(number), message="Mind the tests")["hint"]
    assert hint.startswith("bot has claimed it")
