"""Several people decide at the same time, on either store: nothing is lost, and nothing contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.remark import Comment, Review
from deedlog.store.postgres import Postgres
from deedlog.testing import app_in, app_on
from tests.ops.decide.conftest import people, waits
from tests.ops.tasks.conftest import Board
from tests.ops.tasks.test_random_boards import wrong
from tests.ops.track.conftest import at_once


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Board]:
    tree = tmp_path / "tree"
    tree.mkdir()
    if request.param == "sqlite":
        app = app_in(str(tmp_path / "store"), tree=str(tree))
    else:
        app = app_on(Postgres(request.getfixturevalue("postgres_url"), "p"), tree=str(tree))
    yield Board(app)
    app.close()


def asked(board: Board) -> str:
    workflow = board.call("start_workflow", name="w")["workflow_id"]
    task_id = str(board.call("start_task", workflow_id=workflow, name="t", goal="g")["task_id"])
    said = {"summary": "done", "manual_review_needed": True, "manual_review_reason": "Right?"}
    board.call("complete_task", task_id=task_id, status="success", outcome=said)
    return task_id


@pytest.mark.proves("decide:at-once:kept")
def test_two_who_send_it_back_are_both_heard(shared: Board) -> None:
    task_id = asked(shared)
    names = ("ann", "bob")

    def act(number: int) -> object:
        return people(shared.app, "task_send_back", actor=names[number], task_id=task_id, message=names[number])

    answers = at_once(shared, act)
    assert sorted(answer["reviews_closed"] for answer in answers) == [0, 1]  # type: ignore[index]
    rows = people(shared.app, "comment_list", task_id=task_id)["comments"]
    assert sorted(row["text"] for row in rows) == ["ann", "bob"]
    assert shared.task(1).status == "open"
    assert wrong(shared.app) == []


@pytest.mark.proves("decide:at-once:kept")
def test_who_approves_what_another_sends_back_does_not_settle_the_comments(shared: Board) -> None:
    task_id = asked(shared)

    def act(number: int) -> object:
        if number:
            return people(shared.app, "task_approve", actor="bob", task_id=task_id)
        return people(shared.app, "task_send_back", actor="ann", task_id=task_id, message="No")

    sent, approved = at_once(shared, act)
    assert not isinstance(sent, DeedlogError)
    assert isinstance(approved, dict | Conflict)  # whoever was first: approving settles nothing that came after it
    (comment,) = people(shared.app, "comment_list", task_id=task_id, status="all")["comments"]
    assert comment["status"] == "open"
    (review,) = shared.app.ledger.find(Review, limit=5)
    assert review.verdict == ("sent_back" if isinstance(approved, Conflict) else "approved")
    assert shared.task(1).status == "open"
    with pytest.raises(Conflict, match="was sent back"):
        people(shared.app, "task_approve", actor="bob", task_id=task_id)


def test_a_session_that_begins_while_the_task_is_sent_back_runs_on(shared: Board) -> None:
    number = shared.create()
    shared.end(shared.start(number), exit_code=1)

    def act(which: int) -> object:
        if which:
            return people(shared.app, "session_start", taskId=number, agent="coder")
        return people(shared.app, "task_send_back", task_id=str(number), message="No")

    sent, started = at_once(shared, act)
    assert not isinstance(sent, DeedlogError)
    assert not isinstance(started, DeedlogError)
    assert shared.task(number).status == "in_progress"
    assert wrong(shared.app) == []
    assert [comment.text for comment in shared.app.ledger.find(Comment, limit=5)] == ["No"]


@pytest.mark.proves("decide:at-once:kept")
def test_many_decide_about_many_tasks(shared: Board) -> None:
    tasks = [asked(shared) for _ in range(6)]

    def decide(number: int) -> None:
        name = "task_approve" if number % 2 else "task_send_back"
        more = {} if number % 2 else {"message": f"m{number}"}
        try:
            people(shared.app, name, actor=f"p{number}", task_id=tasks[number % 6], **more)
        except Conflict:
            assert number % 2  # approved too late

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(decide, range(24)))
    assert waits(shared.app) == []
    assert wrong(shared.app) == []
    assert sorted(one.text for one in shared.app.ledger.find(Comment, limit=50)) == sorted(
        f"m{n}" for n in range(0, 24, 2)
    )
