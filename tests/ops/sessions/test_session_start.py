from __future__ import annotations

import threading

import pytest

from deedlog.core.errors import Conflict, DeedlogError, Invalid, NotFound
from deedlog.core.task import Session
from tests.ops.sessions.conftest import Desk
from tests.ops.track.conftest import at_once


@pytest.mark.proves("session:start:answer")
def test_a_session_is_started_and_named_by_its_number(desk: Desk) -> None:
    task = desk.task()
    answer = desk.call("session_start", taskId=task, agent="coder")
    assert answer == {"sessionId": 1, "startedAt": "2025-01-15T10:00:00Z"}
    session = desk.session(1)
    assert (session.status, session.agent, session.snapshot_type) == ("running", "coder", "git")
    assert desk.status(task) == "in_progress"


def test_a_session_has_the_scope_of_its_agent_and_its_task(desk: Desk) -> None:
    desk.start(desk.task(scope={"write": ["docs/**"]}))
    assert desk.session(1).scope["write"] == ["docs/**"]
    assert "**/secrets/**" in desk.session(1).scope["exclude"]


def test_a_person_who_does_a_task_needs_no_agent_definition(desk: Desk) -> None:
    own = desk.task()
    desk.call("session_start", taskId=own, agent="tester")
    assert (desk.session(1).agent, desk.session(1).client, desk.session(1).scope["write"]) == ("tester", "", ["**/*"])
    desk.end(1)
    assert desk.status(own) == "done"
    hers = desk.task(assignee="alice", assigneeType="human")
    assert desk.call("session_start", taskId=hers, agent="alice")["sessionId"] == 2
    with pytest.raises(NotFound, match="there is no agent 'bob'") as refusal:
        desk.call("session_start", taskId=desk.task(), agent="bob")
    assert "'tester'" in refusal.value.hint


@pytest.mark.proves("session:start:group")
def test_a_second_running_session_of_a_task_is_refused_naming_the_first(desk: Desk) -> None:
    task = desk.task()
    first = desk.start(task)
    with pytest.raises(Conflict) as refusal:
        desk.start(task)
    assert refusal.value.data["running_session_id"] == first
    with pytest.raises(Conflict):
        desk.start(task, sessionGroupId="attempts")


@pytest.mark.proves("session:start:group")
def test_sessions_of_one_group_run_side_by_side(desk: Desk) -> None:
    task = desk.task()
    first, second = (desk.start(task, sessionGroupId="attempts") for _ in range(2))
    with pytest.raises(Conflict):
        desk.start(task, sessionGroupId="others")
    assert {desk.session(number).status for number in (first, second)} == {"running"}
    desk.end(first, 1)
    assert desk.status(task) == "in_progress"
    desk.end(second, 1)
    assert desk.status(task) == "failed"


@pytest.mark.proves("session:start:key")
def test_a_repeated_call_with_its_key_starts_nothing_new(desk: Desk) -> None:
    task = desk.task()
    first = desk.call("session_start", taskId=task, agent="coder", idempotencyKey="k")
    assert desk.call("session_start", taskId=task, agent="coder", idempotencyKey="k") == first
    assert len(desk.call("session_list", taskId=task)["sessions"]) == 1
    desk.end(first["sessionId"])
    assert desk.call("session_start", taskId=task, agent="coder", idempotencyKey="k") == first


@pytest.mark.proves("session:start:key")
@pytest.mark.parametrize("other", [{"agent": "writer"}, {"sessionGroupId": "g"}, {"taskId": 2}])
def test_a_key_that_stood_for_other_arguments_is_refused(desk: Desk, other: dict[str, object]) -> None:
    said = {"taskId": desk.task(), "agent": "coder", "idempotencyKey": "k"}
    desk.task()
    desk.call("session_start", **said)
    with pytest.raises(Conflict) as refusal:
        desk.call("session_start", **{**said, **other})
    assert "idempotencyKey" in refusal.value.message
    assert "running_session_id" not in refusal.value.data


def test_of_many_calls_at_once_one_starts_a_session_and_the_others_are_told_which(desk: Desk) -> None:
    task = desk.task()
    outcomes: list[object] = []

    def start() -> None:
        try:
            outcomes.append(desk.start(task))
        except DeedlogError as refusal:
            outcomes.append(refusal)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [started] = [outcome for outcome in outcomes if isinstance(outcome, int)]
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    assert [refusal.data["running_session_id"] for refusal in refusals] == [started] * 3
    assert len(desk.app.ledger.find(Session, {}, limit=9)) == 1


@pytest.mark.proves("session:start:key")
def test_of_two_calls_at_once_with_one_key_for_two_tasks_one_is_refused(desk: Desk) -> None:
    tasks = [desk.task(), desk.task()]
    outcomes = at_once(
        desk, lambda place: desk.call("session_start", taskId=tasks[place], agent="coder", idempotencyKey="k")
    )
    assert {type(outcome) for outcome in outcomes} == {Conflict, dict}
    assert len(desk.app.ledger.find(Session, {}, limit=9)) == 1


def test_who_or_what_does_not_exist_is_refused_by_name(desk: Desk) -> None:
    task = desk.task()
    with pytest.raises(NotFound) as no_task:
        desk.start(99)
    with pytest.raises(NotFound) as no_agent:
        desk.start(task, agent="coder; rm -rf ~")
    assert no_task.value.data == {"task_id": "99"}
    assert no_agent.value.data["agent_id"] == "coder; rm -rf ~"


@pytest.mark.parametrize("number", [1.5, float("nan"), -1, 0, True, "5; ls"])
def test_a_task_is_named_by_a_whole_number(desk: Desk, number: object) -> None:
    with pytest.raises(Invalid):
        desk.call("session_start", taskId=number, agent="coder")


def test_a_task_that_is_over_gets_no_session(desk: Desk) -> None:
    done, cancelled = desk.task(), desk.task()
    desk.end(desk.start(done))
    desk.call("task_cancel", id=cancelled)
    for task in (done, cancelled):
        with pytest.raises(Conflict) as refusal:
            desk.start(task)
        assert "running_session_id" not in refusal.value.data


def test_a_failed_task_is_taken_up_again(desk: Desk) -> None:
    task = desk.task()
    desk.end(desk.start(task), 1)
    assert desk.status(task) == "failed"
    desk.start(task)
    assert desk.status(task) == "in_progress"


def test_a_claim_that_is_over_starts_nothing(desk: Desk) -> None:
    task = desk.task()
    claim = desk.by("first", "task_next")
    with pytest.raises(Conflict):
        desk.by("second", "session_start", taskId=task, agent="coder")
    with pytest.raises(Conflict):
        desk.by("first", "session_start", taskId=task, agent="coder", epoch=claim["epoch"] - 1)
    assert desk.by("first", "session_start", taskId=task, agent="coder", epoch=claim["epoch"])["sessionId"] == 1


def test_what_a_refused_call_looked_at_is_forgotten(desk: Desk) -> None:
    task = desk.task()
    desk.start(task)
    kept = desk.app.snapshots.here(str(desk.tree))
    with pytest.raises(Conflict):
        desk.start(task)
    assert desk.app.snapshots.here(str(desk.tree)) == kept


def test_other_tasks_in_the_same_tree_are_told(desk: Desk) -> None:
    desk.start(desk.task())
    answer = desk.call("session_start", taskId=desk.task(), agent="coder")
    assert "task-1" in answer["warnings"][0]


@pytest.mark.proves("session:undo")
def test_undoing_the_start_of_a_session_leaves_its_task_open(desk: Desk) -> None:
    task = desk.task()
    desk.start(task)
    desk.call("ledger_undo")
    assert desk.status(task) == "open"
    assert desk.call("session_list")["sessions"] == []
    assert desk.by("next", "task_next")["task"]["id"] == task
