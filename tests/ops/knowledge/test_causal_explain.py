from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.causes import bearing
from deedlog.core.entry import Event
from deedlog.core.errors import NotFound
from tests.ops.knowledge.conftest import Team

Json = dict[str, Any]


def whys(explained: Json) -> list[str]:
    return [step["why"] for step in explained["ancestors"]]


def step(explained: Json, why: str) -> Json:
    found: Json = next(each for each in explained["ancestors"] if each["why"] == why)
    return found


@pytest.mark.proves("assist:causal")
def test_why_a_task_failed_is_told_from_the_log_the_most_relevant_first(story: Team) -> None:
    explained = story.call("causal_explain", outcome_id="task-2")
    assert explained["outcome"]["data"] == {"status": "failed"}
    assert whys(explained)[0] == "an attempt failed"
    assert step(explained, "an attempt failed")["data"]["exit_code"] == 3
    assert {"an issue was met", "it was decided", "an attempt began", "it depended on task-1"} <= set(whys(explained))
    assert step(explained, "an issue was met")["data"]["description"] == "callbacks are stale"
    assert step(explained, "it depended on task-1")["data"] == {"about": "task-1", "status": "done"}
    relevances = [each["relevance"] for each in explained["ancestors"]]
    assert relevances == sorted(relevances, reverse=True)
    assert "an attempt failed" in explained["summary"][0]


@pytest.mark.proves("assist:causal")
def test_the_words_of_a_failed_attempt_are_summed_up_and_each_thing_is_said_once(story: Team) -> None:
    explained = story.call("causal_explain", outcome_id="task-2")
    assert explained["summary"][0].endswith(": boom")
    session = story.call("causal_explain", outcome_id="session-2")
    assert not any(why.startswith("it became failed") for why in whys(session))
    rows = [(each["seq"], each["why"]) for each in explained["ancestors"]]
    assert len(rows) == len({seq for seq, _ in rows})
    assert "edges" not in explained


@pytest.mark.proves("assist:causal")
def test_the_most_relevant_steps_are_enough_and_how_many_more_there_are_is_told(story: Team) -> None:
    whole = story.call("causal_explain", outcome_id="task-2")
    short = story.call("causal_explain", outcome_id="task-2", limit=2)
    assert whys(short) == whys(whole)[:2]
    assert short["omitted"] == len(whole["ancestors"]) - 2


def test_work_that_was_discarded_was_not_merged() -> None:
    def told(how: str) -> str:
        event = Event(
            seq=1, op_id="op", kind="session.updated", entity="session", entity_id="s", entity_version=2,
            subjects=[], before={"merge": {}}, after={"merge": {"how": how}},
        )  # fmt: skip
        found = bearing(event)
        return found[0] if found else ""

    assert (told("discard"), told("squash")) == ("its work was discarded", "its work was merged")


@pytest.mark.proves("assist:causal", "assist:causal:touched")
def test_what_a_task_touched_before_it_failed_is_told(story: Team) -> None:
    assert story.call("causal_explain", outcome_id="task-2")["touched"] == [
        {"path": "api.py", "sessions": ["session-2"]}
    ]


@pytest.mark.proves("assist:causal", "assist:causal:checkable")
def test_every_step_can_be_checked_in_the_log(story: Team) -> None:
    explained = story.call("causal_explain", outcome_id="task-2")
    log = {event["seq"]: event for event in story.call("event_list", limit=500)["events"]}
    for each in [explained["outcome"], *explained["ancestors"]]:
        assert (log[each["seq"]]["op_id"], log[each["seq"]]["kind"]) == (each["op_id"], each["type"])
    seqs = {explained["outcome"]["seq"], *(each["seq"] for each in explained["ancestors"])}
    assert all(each["led_to"] and {*each["led_to"]} <= seqs for each in explained["ancestors"])


@pytest.mark.proves("assist:causal", "assist:causal:checkable")
def test_asking_again_gives_the_same_answer(story: Team) -> None:
    assert story.call("causal_explain", outcome_id="task-2") == story.call("causal_explain", outcome_id="task-2")


def test_an_outcome_is_named_in_any_way_people_name_it(story: Team) -> None:
    by_task = story.call("causal_explain", outcome_id="task-2")
    outcome = by_task["outcome"]
    by_seq = story.call("causal_explain", outcome_id=str(outcome["seq"]))
    assert by_seq["outcome"] == outcome
    assert story.call("causal_explain", outcome_id=f"event-{outcome['seq']}")["outcome"] == outcome
    assert story.call("causal_explain", outcome_id=outcome["op_id"])["outcome"]["op_id"] == outcome["op_id"]
    by_session = story.call("causal_explain", outcome_id="session-2")
    assert by_session["outcome"]["data"]["exit_code"] == 3
    assert "it was an attempt at task-2" in whys(by_session)


def test_what_came_later_is_no_cause(story: Team) -> None:
    before = story.call("causal_explain", outcome_id="task-2")
    story.call("log_issue", task_id="task-2", type="bug_encountered", description="found later", resolution="none")
    again = story.call("causal_explain", outcome_id=str(before["outcome"]["seq"]))
    assert "found later" not in str(again)


def test_a_failed_dependency_two_steps_back_is_found_unless_that_is_too_far(team: Team) -> None:
    for number in (1, 2, 3):
        team.call("task_create", title=f"t{number}", **({"dependsOn": [number - 1]} if number > 1 else {}))
    team.call("task_cancel", id=1, reason="no budget left")
    near = team.call("causal_explain", outcome_id="task-3", max_depth=1)
    assert "no budget left" not in str(near)
    far = team.call("causal_explain", outcome_id="task-3", max_depth=3)
    cancelled = step(far, "it depended on task-1")
    assert (cancelled["data"]["status"], cancelled["depth"]) == ("cancelled", 2)
    assert far["depth"] == 2


def test_a_workflow_failed_because_of_the_tasks_that_did(story: Team) -> None:
    workflow = story.call("workflow_list")["workflows"][0]["workflow_id"]
    story.call("complete_workflow", workflow_id=workflow, status="failed", summary="gave up")
    explained = story.call("causal_explain", outcome_id=workflow)
    assert "task-2 failed" in whys(explained)


@pytest.mark.proves("assist:causal")
def test_a_graph_is_explained_by_its_changes_and_transactions(team: Team) -> None:
    team.call("graph_create", graph_id="g", name="G", nodes=[{"id": "a"}], edges=[])
    begun = team.call("tx_begin", graph_id="g", owner="ann")
    team.call("tx_apply", tx_id=begun["tx_id"], operations=[{"op": "add_node", "node": {"id": "b"}}])
    team.call("tx_commit", tx_id=begun["tx_id"])
    explained = team.call("causal_explain", outcome_id="g")
    assert explained["outcome"]["why"] == "its nodes changed"
    assert whys(explained)[0] == "a transaction by ann on it was committed"
    assert "it was made" in whys(explained)
    assert explained["summary"]


def test_what_was_undone_is_told_as_such(team: Team) -> None:
    team.call("task_create", title="a")
    team.call("task_update", id=1, description="other goal")
    team.call("ledger_undo")
    assert team.call("causal_explain", outcome_id="task-1")["outcome"]["why"] == "it was undone"
    team.call("task_update", id=1, description="yet another")
    assert "it was undone" in whys(team.call("causal_explain", outcome_id="task-1"))


def test_what_is_not_there_is_refused(team: Team) -> None:
    for name in ("task-9", "9", "op-nothing", "run-nothing"):
        with pytest.raises(NotFound):
            team.call("causal_explain", outcome_id=name)


def test_an_answer_stays_readable_however_much_happened(team: Team) -> None:
    team.call("task_create", title="a")
    for number in range(150):
        team.call(
            "log_issue",
            task_id="task-1",
            type="bug_encountered",
            description=f"{number} " + "d" * 900,
            resolution="r" * 900,
        )
    explained = team.call("causal_explain", outcome_id="task-1")
    assert len(str(explained)) < 40_000


def test_what_is_said_is_found_though_most_of_a_tasks_events_are_not_walked_through(
    story: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = story.call("causal_explain", outcome_id="task-2")
    monkeypatch.setattr("deedlog.work.causal.WALKED", 2)
    short = story.call("causal_explain", outcome_id="task-2")
    assert short["outcome"] == whole["outcome"]
    assert {"an attempt failed", "an issue was met", "it was decided", "it was created"} <= set(whys(short))
