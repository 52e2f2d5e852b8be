from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from deedlog.testing import Clock
from tests.ops.track.conftest import Json, Work


def timeline(work: Work, **more: object) -> Json:
    answer: Json = work.call("workflow_timeline", workflow_id=work.workflow_id, **more)
    return answer


def planned(work: Work, title: str, after: tuple[int, ...] = ()) -> int:
    made = work.call("task_create", title=title, workflowId=work.workflow_id, dependsOn=list(after))
    return int(made["id"])


@pytest.mark.proves("page:workflow:timeline")
def test_it_tells_who_worked_when_and_what_happened_meanwhile(work: Work, clock: Clock) -> None:
    main = work.start("Implement authentication")
    part = work.start("Setup JWT middleware", parent=main)
    clock.turn(60)
    said = {"category": "other", "question": "Which?", "chosen": "this", "reasoning": "r"}
    work.call("log_decision", task_id=part, **said)
    clock.turn(60)
    work.call("log_issue", task_id=part, type="other", description="slow", resolution="r", requires_human_review=True)
    clock.turn(60)
    work.complete(part, "partial_success")
    work.call("log_milestone", task_id=main, message="half\nway", progress=50)
    found = timeline(work)
    assert (found["from"], found["to"], found["live"]) == ("2025-01-15T10:00:00Z", "2025-01-15T10:03:00Z", True)
    first, second = found["tasks"]
    assert (first["depth"], second["depth"], second["parent_task_id"]) == (0, 1, main)
    assert (first["start"], first["progress"], "end" in first) == ("2025-01-15T10:00:00Z", 50, False)
    assert first["sessions"][0]["status"] == "running"
    assert second["sessions"] == [
        {
            "session_id": "session-2",
            "actor": "tester",
            "status": "partial_success",
            "start": "2025-01-15T10:00:00Z",
            "end": "2025-01-15T10:03:00Z",
        }
    ]
    marks = [(mark["kind"], mark["at"][11:19], mark["text"], mark.get("status")) for mark in second["marks"]]
    assert marks == [
        ("decision", "10:01:00", "Which? → this", None),
        ("issue", "10:02:00", "slow", None),
        ("review", "10:02:00", "slow", "open"),
    ]
    assert [(mark["text"], mark["progress"]) for mark in first["marks"]] == [("half way", 50)]
    assert second["open_reviews"] == 1


@pytest.mark.proves("page:workflow:critical")
def test_it_tells_the_longest_chain_and_what_holds_up_most(work: Work) -> None:
    first = planned(work, "first")
    second = planned(work, "second", (first,))
    planned(work, "last", (second,))
    planned(work, "aside", (first,))
    planned(work, "alone")
    rows = {row["name"]: row for row in timeline(work)["tasks"]}
    assert [name for name, row in rows.items() if row.get("critical")] == ["first", "second", "last"]
    assert {name: row["unblocks"] for name, row in rows.items() if "unblocks" in row} == {"first": 3, "second": 1}
    assert rows["last"]["waits_for"] == rows["last"]["depends_on"] == [f"task-{second}"]
    assert [name for name, row in rows.items() if row.get("ready")] == ["first", "alone"]


def test_what_is_done_is_waited_for_no_more(work: Work) -> None:
    first = planned(work, "first")
    planned(work, "second", (first,))
    work.call("session_start", taskId=first, agent="tester")
    work.complete(f"task-{first}")
    second = timeline(work)["tasks"][1]
    assert (second["waits_for"], second["depends_on"], second["ready"]) == ([], [f"task-{first}"], True)


def test_of_another_workflow_only_the_name_is_told(work: Work) -> None:
    other = work.call("task_create", title="elsewhere")["id"]
    planned(work, "here", (other,))
    assert [row["waits_for"] for row in timeline(work)["tasks"]] == [[f"task-{other}"]]


def test_a_workflow_that_ended_is_not_live_and_ends_there(work: Work, clock: Clock) -> None:
    task = work.start()
    clock.turn(90)
    work.complete(task)
    work.call("complete_workflow", workflow_id=work.workflow_id)
    clock.turn(1000)
    found = timeline(work)
    assert (found["live"], found["to"]) == (False, "2025-01-15T10:01:30Z")


def test_only_what_is_not_over_with_what_it_is_under(work: Work) -> None:
    parent = work.start("parent")
    work.complete(work.start("done", parent=parent))
    work.start("at work", parent=parent)
    over = work.start("over")
    work.complete(over)
    assert [row["name"] for row in timeline(work, only="unfinished")["tasks"]] == ["parent", "at work"]


def test_only_what_happened_last_with_what_it_is_under(work: Work, clock: Clock) -> None:
    work.complete(work.start("long ago"))
    clock.turn(3600)
    parent = work.start("parent")
    clock.turn(60)
    work.complete(work.start("earlier"))
    clock.turn(60)
    work.complete(work.start("child", parent=parent))
    planned(work, "never begun")
    work.complete(parent)
    clock.turn(60)
    found = timeline(work, only="recent", limit=3)
    assert [row["name"] for row in found["tasks"]] == ["parent", "child", "earlier"]
    assert (found["left_out"], found["from"]) == (2, "2025-01-15T11:00:00Z")
    assert "next_cursor" not in found


def test_a_long_one_comes_in_pages_and_says_what_is_left(work: Work) -> None:
    for number in range(5):
        planned(work, f"task {number}")
    first = timeline(work, limit=2)
    assert ([row["name"] for row in first["tasks"]], first["left_out"]) == (["task 0", "task 1"], 3)
    rest = timeline(work, limit=9, cursor=first["next_cursor"])
    assert [row["name"] for row in rest["tasks"]] == ["task 2", "task 3", "task 4"]
    assert "left_out" not in rest


def test_only_the_last_marks_of_a_talkative_task_are_told(work: Work) -> None:
    task = work.start()
    for number in range(45):
        work.call("log_milestone", task_id=task, message=f"step {number}")
    row = timeline(work)["tasks"][0]
    assert (len(row["marks"]), row["marks_left_out"], row["marks"][-1]["text"]) == (40, 5, "step 44")


def test_an_empty_workflow_has_a_timeline_without_tasks(work: Work) -> None:
    found = timeline(work)
    assert (found["tasks"], found["from"]) == ([], found["to"])
    with pytest.raises(NotFound, match="wf-nope"):
        work.call("workflow_timeline", workflow_id="wf-nope")


def test_pages_go_on_after_the_same_task_whatever_was_added_or_finished_meanwhile(work: Work) -> None:
    parent = work.start("task 0")
    numbers = [planned(work, f"task {number}") for number in range(1, 5)]
    first = timeline(work, limit=2, only="unfinished")
    work.start("under task 0", parent=parent)
    work.call("task_cancel", id=numbers[0])
    rest = timeline(work, limit=2, only="unfinished", cursor=first["next_cursor"])
    assert ([row["name"] for row in rest["tasks"]], rest["left_out"]) == (["task 2", "task 3"], 1)
    work.call("task_delete", id=numbers[2])
    with pytest.raises(Conflict, match="is gone"):
        timeline(work, limit=2, cursor=rest["next_cursor"])
