from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from tests.ops.board.conftest import Call


def task(call: Call, title: str = "a task", **more: object) -> str:
    return f"task-{call('task_create', title=title, **more)['id']}"


def bids(**costs: float) -> list[dict[str, object]]:
    return [{"agent_id": agent, "cost": cost} for agent, cost in costs.items()]


@pytest.mark.proves("cnp:award")
def test_the_lowest_cost_is_awarded_the_task_and_becomes_its_assignee(call: Call) -> None:
    announced = call("cnp_announce", task_id=task(call), manual_bids=bids(ann=30, ben=20, cy=25), auto_bid=False)
    assert announced["op_id"].startswith("op-")
    assert (announced["status"], announced["awarded_agent_id"], announced["awarded_cost"]) == ("awarded", "ben", 20)
    assert [bid["agent_id"] for bid in announced["bids"]] == ["ben", "cy", "ann"]
    read = call("task_get", id=1)
    assert (read["assignee"], read["assigneeType"]) == ("ben", "ai")


@pytest.mark.proves("cnp:award")
def test_heuristics_change_what_a_bid_costs_in_effect(call: Call) -> None:
    busy = task(call)
    call("task_update", id=1, assignee="ann")
    assert busy == "task-1"
    announced = call(
        "cnp_announce",
        task_id=task(call),
        manual_bids=bids(ann=10, ben=12, cy=20),
        auto_bid=False,
        heuristics={"busy_penalty": 5, "prefer_agents": ["cy"], "preference_bonus": 6, "agent_bias": {"cy": 3}},
    )
    assert {bid["agent_id"]: bid["effective_cost"] for bid in announced["bids"]} == {"ann": 15, "ben": 12, "cy": 11}
    assert announced["awarded_agent_id"] == "cy"


def test_the_agents_of_the_project_bid_by_what_they_are_for(call: Call) -> None:
    announced = call("cnp_announce", task_id=task(call, "Write the documentation of the API"))
    assert announced["awarded_agent_id"] == "writer"
    assert {bid["agent_id"] for bid in announced["bids"]} == {"coder", "planner", "reviewer", "writer"}
    assert call("cnp_announce", task_id=task(call, "Implement the parser"))["awarded_agent_id"] == "coder"


def test_what_an_agent_says_itself_counts_more_than_a_guess(call: Call) -> None:
    announced = call("cnp_announce", task_id=task(call), manual_bids=bids(reviewer=1))
    assert announced["awarded_agent_id"] == "reviewer"
    assert [bid["kind"] for bid in announced["bids"] if bid["agent_id"] == "reviewer"] == ["manual"]


def test_of_equal_bids_the_first_by_name_wins_every_time(call: Call) -> None:
    announced = call("cnp_announce", task_id=task(call), manual_bids=bids(b=5, a=5), auto_bid=False)
    assert announced["awarded_agent_id"] == "a"


@pytest.mark.proves("cnp:states")
def test_nobody_bidding_is_refused_and_leaves_nothing(call: Call) -> None:
    name = task(call)
    with pytest.raises(Conflict) as refused:
        call("cnp_announce", task_id=name, auto_bid=False)
    assert refused.value.data["code"] == "E-CNP-NO-BIDS"
    with pytest.raises(NotFound):
        call("cnp_get", task_id=name)


def test_a_task_that_is_over_or_not_there_cannot_be_announced(call: Call) -> None:
    name = task(call)
    call("task_cancel", id=1)
    with pytest.raises(Conflict, match="cancelled"):
        call("cnp_announce", task_id=name)
    with pytest.raises(NotFound):
        call("cnp_announce", task_id="task-99")


@pytest.mark.proves("cnp:states")
def test_a_task_that_was_awarded_is_not_awarded_anew_without_a_word(call: Call) -> None:
    name = task(call)
    call("cnp_announce", task_id=name, manual_bids=bids(ann=9), auto_bid=False)
    with pytest.raises(Conflict, match="awarded to 'ann' already") as refused:
        call("cnp_announce", task_id=name, manual_bids=bids(ben=7), auto_bid=False)
    assert "task_update" in refused.value.hint
    assert call("task_get", id=1)["assignee"] == "ann"
