from __future__ import annotations

import pytest

from deedlog.core.task import Session
from deedlog.testing import Clock
from tests.ops.tasks.conftest import Board


@pytest.mark.proves("task:next:order")
def test_the_most_urgent_comes_first_and_the_oldest_of_those(board: Board, clock: Clock) -> None:
    titles = {}
    for title, priority in (("c", "low"), ("b", "medium"), ("a1", "critical"), ("a2", "critical"), ("ab", "high")):
        clock.turn(1)
        titles[board.create(title, priority=priority)] = title
    assert [titles[board.next()["task"]["id"]] for _ in titles] == ["a1", "a2", "ab", "b", "c"]


@pytest.mark.proves("task:next:order")
def test_a_task_is_handed_out_when_its_dependencies_are_done(board: Board) -> None:
    first = board.create("first", priority="low")
    second = board.create("second", priority="critical", dependsOn=[first])
    assert board.next()["task"]["id"] == first
    assert board.next() == {
        "task": None,
        "message": "nothing is ready: 1 blocked, 1 claimed, 0 for others",
        "blocked": 1,
        "claimed": 1,
        "ofOthers": 0,
    }
    board.end(board.start(first))
    assert board.next()["task"]["id"] == second


@pytest.mark.proves("task:next:lease")
def test_the_answer_has_the_task_its_epoch_and_the_end_of_the_lease(board: Board) -> None:
    number = board.create("do it", description="well")
    claim = board.next(actor="ada", leaseSeconds=60)
    assert (claim["epoch"], claim["leaseUntil"]) == (1, "2025-01-15T10:01:00Z")
    task = claim["task"]
    assert (task["id"], task["description"], task["claimedBy"], task["status"]) == (number, "well", "ada", "open")
    assert board.get(number)["claimedBy"] == "ada"


def test_without_a_length_the_lease_is_the_configured_one(board: Board) -> None:
    board.create()
    assert board.next()["leaseUntil"] == "2025-01-15T10:15:00Z"


@pytest.mark.proves("task:next:assignee")
def test_whoever_says_who_they_are_gets_their_own_and_what_is_nobody_s(board: Board) -> None:
    board.create("other's", assignee="writer", priority="critical")
    free = board.create("free", priority="high")
    own = board.create("own", assignee="coder")
    assert [board.next(assignee="coder")["task"]["id"] for _ in range(2)] == [free, own]
    assert board.next(assignee="coder")["ofOthers"] == 1


@pytest.mark.proves("task:next:assignee")
def test_what_is_a_person_s_is_handed_to_that_person_only(board: Board) -> None:
    number = board.create("sign it", assignee="ada", assigneeType="human")
    assert board.next()["ofOthers"] == 1
    assert board.next(assignee="coder")["task"] is None
    assert board.next(assignee="ada", leaseSeconds=1)["task"]["id"] == number


@pytest.mark.proves("task:next:lease")
def test_a_dead_agent_s_task_comes_back_in_its_place(board: Board, clock: Clock) -> None:
    urgent = board.create("urgent", priority="high")
    other = board.create("other")
    first = board.next(actor="dead", leaseSeconds=10)
    assert first["task"]["id"] == urgent
    clock.turn(9)
    assert board.next(leaseSeconds=60)["task"]["id"] == other
    clock.turn(2)
    again = board.next(actor="alive")
    assert (again["task"]["id"], again["epoch"]) == (urgent, first["epoch"] + 1)
    assert again["task"]["claimedBy"] == "alive"


@pytest.mark.proves("task:next:lease")
def test_what_the_dead_agent_left_running_is_ended_as_crashed(board: Board, clock: Clock) -> None:
    number = board.create()
    claim = board.next(actor="dead", leaseSeconds=10)
    session = board.start(number, actor="dead", epoch=claim["epoch"])
    clock.turn(11)
    again = board.next(actor="alive")
    assert (again["task"]["id"], again["task"]["status"]) == (number, "failed")
    left = board.session(session)
    assert (left.status, left.error["type"]) == ("failed", "crash")
    assert "the claim of dead lapsed" in left.error["message"]
    assert board.start(number, actor="alive", epoch=again["epoch"])
    assert board.get(number)["status"] == "in_progress"


@pytest.mark.proves("task:next:lease")
def test_what_comes_back_and_is_given_back_is_not_lost(board: Board, clock: Clock) -> None:
    number = board.create()
    claim = board.next(actor="dead", leaseSeconds=10)
    board.start(number, actor="dead", epoch=claim["epoch"])
    clock.turn(11)
    again = board.next(actor="alive")
    board.call("task_release", id=number, epoch=again["epoch"])
    assert board.next()["task"]["id"] == number


def test_what_somebody_else_is_at_work_on_is_not_handed_out(board: Board, clock: Clock) -> None:
    number = board.create()
    board.next(actor="holder", leaseSeconds=10)
    clock.turn(11)
    session = board.start(number, actor="worker")
    assert board.next()["task"] is None
    assert board.session(session).status == "running"
    assert "claimedBy" not in board.get(number)


def test_what_a_supervisor_runs_is_not_handed_out(board: Board, clock: Clock) -> None:
    number = board.create()
    claim = board.next(leaseSeconds=10)
    session = board.session(board.start(number, epoch=claim["epoch"]))
    supervised(board, session)
    clock.turn(11)
    assert board.next()["task"] is None


def supervised(board: Board, session: Session) -> None:
    from deedlog.core.entry import Op

    op = Op(
        op_id="op-supervised",
        operation="worker_run",
        effect="write",
        actor="tester",
        at=session.started_at,
        cause="",
        idempotency_key=None,
        arguments_digest="",
        undo_of=None,
        answer={},
    )
    board.app.ledger.write(op, [session.replace(process="1 2 3 4")])


@pytest.mark.proves("task:next:order")
def test_a_task_whose_session_ended_well_is_over_for_the_queue(board: Board, clock: Clock) -> None:
    number = board.create()
    claim = board.next(leaseSeconds=10)
    board.end(board.start(number, epoch=claim["epoch"]))
    clock.turn(11)
    assert board.next()["message"] == "nothing is ready: 0 blocked, 0 claimed, 0 for others"
    assert board.get(number)["status"] == "done"


def test_a_lapsed_claim_behind_many_that_hold_is_found(board: Board, clock: Clock) -> None:
    for _ in range(60):
        board.create()
    for _ in range(59):
        board.next(leaseSeconds=600)
    last = board.next(leaseSeconds=5)["task"]["id"]
    clock.turn(6)
    assert board.next()["task"]["id"] == last


def test_a_call_repeated_with_its_key_is_given_the_same_task(board: Board) -> None:
    from deedlog.testing import caller

    board.create("one")
    board.create("two")
    said = caller(idempotency_key="once")
    assert board.app.call("task_next", {}, said) == board.app.call("task_next", {}, said)


def test_to_ask_in_vain_leaves_no_trace(board: Board) -> None:
    board.create("blocked", dependsOn=[board.create("first")])
    board.next()
    head = board.app.ledger.head()
    assert board.next()["task"] is None
    assert board.app.ledger.head() == head


@pytest.mark.proves("task:next:fenced")
def test_a_claim_that_was_taken_back_gives_nobody_its_epoch_again(board: Board) -> None:
    number = board.create()
    old = board.next(actor="one")["epoch"]
    board.call("ledger_undo", actor="one")
    assert board.get(number)["ready"]
    assert board.next(actor="two")["epoch"] > old
    assert board.refused("task_heartbeat", id=number, epoch=old).kind == "conflict"
