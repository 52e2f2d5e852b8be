"""What a person decides about several attempts at one task."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ops.decide.conftest import people, stored, waits
from tests.ops.workers.conftest import Shop


def attempts(shop: Shop, *script: str, count: int = 2) -> tuple[int, list[int]]:
    number = shop.task(*script)
    sessions = [row["sessionId"] for row in shop.run(number, attempts=count)["attempts"]]
    shop.wait(*sessions)
    return number, sessions


def test_a_task_that_is_sent_back_goes_with_all_of_its_attempts(shop: Shop) -> None:
    number, sessions = attempts(shop, "append a.txt one")
    assert people(shop.app, "task_send_back", task_id=str(number), message="No")["status"] == "open"
    assert [shop.session(one).sent_back for one in sessions] == [True, True]


@pytest.mark.proves("decide:back:attempt")
def test_an_attempt_that_is_named_is_sent_back_alone(shop: Shop) -> None:
    number, (first, second) = attempts(shop, "append a.txt one")
    answer = people(shop.app, "task_send_back", task_id=str(number), session_id=f"session-{first}", message="Not this")
    assert answer["status"] == "in_progress"
    assert f"session-{second}" in answer["hint"]
    assert [shop.session(one).sent_back for one in (first, second)] == [True, False]
    (item,) = waits(shop.app)
    assert (item["kind"], item["session_id"]) == ("merge", f"session-{second}")
    assert shop.call("worker_done", taskId=number)["sessionId"] == second


@pytest.mark.proves("decide:back:attempt")
def test_the_next_worker_gets_the_work_of_the_attempt_that_was_commented_on(shop: Shop) -> None:
    number, (first, second) = attempts(shop, "append a.txt $SESSION")
    people(shop.app, "task_send_back", task_id=str(number), session_id=str(second), message="Nor this")
    people(shop.app, "task_send_back", task_id=str(number), session_id=str(first), message="Go on with this one")
    assert stored(shop.app, number).carries == shop.session(first).id
    third = shop.run(number)["sessionId"]
    shop.wait(third)
    prompt = Path(shop.repo, shop.session(third).worktree, ".deedlog/prompt.md").read_text()
    assert f"The work of session {first} is in this work tree already" in prompt


def test_reviews_of_the_other_attempts_stay_open(shop: Shop) -> None:
    number = shop.task()
    first, second = (
        shop.call("worker_command", taskId=number, scope={"write": ["src/**"]}, sessionGroupId="both")["sessionId"]
        for _ in range(2)
    )
    for session in (first, second):
        Path(shop.repo, shop.session(session).worktree, "README.md").write_text("changed\n")
        shop.call("session_end", sessionId=session, exitCode=0)
    people(shop.app, "task_send_back", task_id=str(number), session_id=str(first), message="No")
    assert [(item["kind"], item["session_id"]) for item in waits(shop.app)] == [("scope", f"session-{second}")]


def test_work_that_was_taken_up_is_not_told_as_earlier_work_any_more(shop: Shop) -> None:
    row = shop.ended("append a.txt one")
    people(shop.app, "task_send_back", task_id=str(row["taskId"]), message="No")
    assert shop.call("task_get", id=row["taskId"])["earlierWork"]["sessionId"] == row["sessionId"]
    shop.wait(shop.run(row["taskId"])["sessionId"])
    assert "earlierWork" not in shop.call("task_get", id=row["taskId"])


def test_what_was_tried_before_the_work_that_was_merged_is_not_brought(shop: Shop) -> None:
    row = shop.ended("append a.txt one", "exit 3")
    shop.call("task_update", id=row["taskId"], description="do: append a.txt two")
    shop.wait(shop.run(row["taskId"])["sessionId"])
    shop.call("worker_done", taskId=row["taskId"])
    people(shop.app, "task_send_back", task_id=str(row["taskId"]), message="More")
    assert stored(shop.app, row["taskId"]).carries == ""


@pytest.mark.proves("decide:attention:attempts")
def test_of_several_good_attempts_a_person_is_asked_to_choose(shop: Shop) -> None:
    number, sessions = attempts(shop, "append a.txt one")
    (item,) = waits(shop.app)
    assert (item["kind"], item["actions"]) == ("merge", ["choose", "send_back"])
    assert "session_id" not in item
    assert item["question"] == "Which attempt at “a task” shall be merged? session-1 and session-2 are done."
    assert [(row["session_id"], row["files"]) for row in item["detail"]["attempts"]] == [
        ("session-1", 1),
        ("session-2", 1),
    ]
    shop.call("session_select", sessionId=sessions[0])
    (item,) = waits(shop.app)
    assert (item["session_id"], item["actions"]) == ("session-1", ["merge", "send_back"])
    assert shop.call("worker_done", sessionId=sessions[0])["taskStatus"] == "done"
    assert shop.status(number) == "done"


@pytest.mark.proves("decide:attention:attempts")
def test_an_attempt_that_failed_is_never_offered_in_place_of_a_good_one(shop: Shop) -> None:
    number = shop.task()
    good, bad = (shop.call("worker_command", taskId=number, sessionGroupId="both")["sessionId"] for _ in range(2))
    for session, code in ((good, 0), (bad, 3)):
        Path(shop.repo, shop.session(session).worktree, "a.txt").write_text("work\n")
        shop.call("session_end", sessionId=session, exitCode=code)
    found = {item["kind"]: item for item in waits(shop.app)}
    assert {kind: item["session_id"] for kind, item in found.items()} == {
        "worker_failed": f"session-{bad}",
        "merge": f"session-{good}",
    }
    shop.call("review_close", review_id=found["worker_failed"]["review_id"], verdict="noted")
    (item,) = waits(shop.app)
    assert item["session_id"] == f"session-{good}"
    assert shop.call("worker_done", taskId=number)["sessionId"] == good
