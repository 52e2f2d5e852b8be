from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.testing import Clock, app_in, caller
from tests.conftest import Call


def begin(call: Call, name: str = "a task", workflow_id: str | None = None) -> str:
    made = workflow_id or call("start_workflow", name="Add login")["workflow_id"]
    return str(call("start_task", workflow_id=made, name=name, goal="g")["task_id"])


def complete(call: Call, task_id: str, status: str = "success", **more: Any) -> None:
    call("complete_task", task_id=task_id, status=status, outcome={"summary": f"{task_id} ended"}, **more)


def test_of_an_empty_store_there_is_nothing_to_tell(call: Call) -> None:
    now = call("now_get")
    assert set(now["counts"].values()) == {0}
    assert (now["running"], now["finished"], now["workflows"]) == ([], [], [])


@pytest.mark.proves("page:now:running")
def test_what_runs_tells_how_far_it_is_by_its_own_word(call: Call, clock: Clock) -> None:
    task_id = begin(call, "JWT middleware")
    clock.turn(60)
    call("log_milestone", task_id=task_id, message="tokens are verified", progress=40)
    clock.turn(30)
    (row,) = call("now_get")["running"]
    told = {name: row[name] for name in ("task_id", "task_name", "workflow_name", "status", "seconds")}
    assert told == {
        "task_id": task_id,
        "task_name": "JWT middleware",
        "workflow_name": "Add login",
        "status": "running",
        "seconds": 90,
    }
    assert (row["progress"], row["milestone"]) == (40, "tokens are verified")


def test_what_was_said_in_an_earlier_attempt_is_no_progress_of_this_one(call: Call, clock: Clock) -> None:
    number = call("task_create", title="again")["id"]
    first = call("session_start", taskId=number, agent="coder")["sessionId"]
    call("log_milestone", task_id=f"task-{number}", message="nearly there", progress=90)
    call("session_end", sessionId=first, exitCode=1)
    clock.turn(5)
    call("session_start", taskId=number, agent="coder")
    (row,) = call("now_get")["running"]
    assert "progress" not in row
    assert "milestone" not in row


@pytest.mark.proves("page:now:finished")
def test_what_finished_comes_with_its_outcome_and_the_lines_it_changed(
    repo: Path, tmp_path: Path, clock: Clock
) -> None:
    app = app_in(str(tmp_path / "store"), tree=str(repo), clock=clock)

    def call(name: str, /, **arguments: object) -> Any:
        return app.call(name, arguments, caller())

    task_id = begin(call, "JWT middleware")
    (repo / "auth.py").write_text("one\ntwo\n")
    clock.turn(10)
    complete(call, task_id, status="partial_success")
    (row,) = call("now_get")["finished"]
    assert (row["task_id"], row["status"], row["summary"]) == (task_id, "partial_success", f"{task_id} ended")
    assert (row["files"], row["added"], row["deleted"], row["duration_seconds"]) == (1, 2, 0, 10)


def test_a_long_session_that_ends_comes_before_short_ones_begun_after_it(call: Call, clock: Clock) -> None:
    long = begin(call, "the long one")
    for _ in range(8):
        clock.turn(1)
        complete(call, begin(call, "a short one"))
    clock.turn(1)
    complete(call, long)
    assert call("now_get", limit=2)["finished"][0]["task_id"] == long


def test_a_task_finished_twice_is_told_once(call: Call, clock: Clock) -> None:
    number = call("task_create", title="again")["id"]
    for exit_code in (1, 0):
        clock.turn(5)
        call(
            "session_end",
            sessionId=call("session_start", taskId=number, agent="coder")["sessionId"],
            exitCode=exit_code,
        )
    finished = call("now_get")["finished"]
    assert [(row["task_id"], row["session_id"]) for row in finished] == [(f"task-{number}", "session-2")]


def test_what_a_person_sent_back_has_not_finished(call: Call) -> None:
    task_id = begin(call)
    complete(call, task_id)
    call("task_send_back", task_id=task_id, message="The tests are missing")
    assert call("now_get")["finished"] == []


@pytest.mark.proves("page:now:counts")
def test_the_counts_are_those_of_the_lists(call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    first = call("task_create", title="a", workflowId=workflow_id)["id"]
    call("task_create", title="b", dependsOn=[first])
    call("task_create", title="dropped")
    call("task_cancel", id=3)
    complete(call, begin(call, "c", workflow_id))
    begin(call, "d", workflow_id)
    counts = call("now_get")["counts"]
    told = {name: counts[name] for name in ("open", "ready", "in_progress", "done", "cancelled", "running_sessions")}
    assert told == {"open": 2, "ready": 1, "in_progress": 1, "done": 1, "cancelled": 1, "running_sessions": 1}


def test_a_workflow_tells_how_its_tasks_stand_and_whether_it_needs_a_person(call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    call("task_create", title="a", workflowId=workflow_id)
    task_id = begin(call, "b", workflow_id)
    call(
        "log_issue",
        task_id=task_id,
        type="other",
        description="which key?",
        resolution="guessed",
        requires_human_review=True,
    )
    now = call("now_get")
    (row,) = now["workflows"]
    assert row["tasks"] == {"open": 1, "in_progress": 1, "done": 0, "failed": 0, "cancelled": 0}
    assert row["attention"] == now["counts"]["attention"] == 1


def test_workflows_in_progress_come_before_those_that_ended(call: Call, clock: Clock) -> None:
    names = ["old and open", "ended"]
    for name in names:
        workflow_id = call("start_workflow", name=name)["workflow_id"]
        clock.turn(1)
    call("complete_workflow", workflow_id=workflow_id, status="completed", summary="s")
    assert [row["name"] for row in call("now_get")["workflows"]] == names


@pytest.mark.proves("page:now:bounded")
def test_it_asks_the_store_no_more_often_where_there_is_more(app: App, call: Call, clock: Clock) -> None:
    def questions() -> int:
        asked = 0
        database = app.ledger.database  # type: ignore[attr-defined]
        query = database.query

        def counted(*arguments: Any) -> Any:
            nonlocal asked
            asked += 1
            return query(*arguments)

        database.query = counted
        try:
            call("now_get", limit=2)
        finally:
            del database.query
        return asked

    def more(count: int) -> None:
        for _ in range(count):
            clock.turn(1)
            begin(call)
            complete(call, begin(call))

    more(10)
    few = questions()
    more(20)
    assert questions() <= few
