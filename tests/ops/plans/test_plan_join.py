from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from tests.ops.plans.test_plan_fanout import fan_out, joined
from tests.ops.workers.conftest import WAIT, Shop


@pytest.mark.proves("plan:join:quorum")
def test_a_quorum_is_enough_although_one_failed(shop: Shop) -> None:
    lines = [{"prompt_variables": {"line": line}} for line in ("print a", "exit 2", "print c")]
    run_id = fan_out(shop, "do: {{line}}", lines)["run_id"]
    found = joined(shop, run_id, join_policy="quorum", quorum_count=2)
    assert (found["satisfied"], found["quorum_threshold"]) == (True, 2)
    every = joined(shop, run_id)
    assert every["satisfied"] is False
    assert (every["success_count"], every["failure_count"], every["running_count"]) == (2, 1, 0)
    assert {row["name"]: row["status"] for row in every["results"]} == {
        "child-1": "success",
        "child-2": "error",
        "child-3": "success",
    }
    vote = joined(shop, run_id, consensus={"mode": "majority"})
    assert vote["satisfied"] is True
    assert vote["consensus"]["tally"] == {"success": 2, "error": 1}


@pytest.mark.proves("plan:join:quorum")
def test_the_first_success_does_not_wait_for_the_others(shop: Shop) -> None:
    pipe = shop.pipe()
    lines = [{"prompt_variables": {"line": line}} for line in (f"wait {pipe}", "print done")]
    answer = fan_out(shop, "do: {{line}}", lines)
    found = joined(shop, answer["run_id"], join_policy="first_success")
    assert found["satisfied"] is True
    assert found["results"][-1]["status"] == "running"
    late = joined(shop, answer["run_id"], timeout_sec=0)
    assert late["satisfied"] is False
    assert late["results"][-1]["status"] == "timeout"
    with pytest.raises(Conflict, match="1 of 2 children still run"):
        shop.call("plan_reduce", reducer="concat", run_id=answer["run_id"])


def test_sessions_and_tasks_that_ran_otherwise_are_joined_too(shop: Shop) -> None:
    session = shop.ended("print one")["sessionId"]
    task = shop.task("exit 1")
    shop.wait(shop.run(task)["sessionId"])
    found = shop.call("plan_join", children=[f"session-{session}", f"task-{task}"], timeout_sec=WAIT)
    assert [row["status"] for row in found["results"]] == ["success", "error"]
    assert (
        shop.call(
            "plan_reduce", reducer="custom", children=[str(session)], spec={"pick_child_id": f"session-{session}"}
        )["aggregate"]
        == "one"
    )


def test_a_join_needs_children_that_are_there(shop: Shop) -> None:
    with pytest.raises(Invalid, match="name children"):
        shop.call("plan_join")
    with pytest.raises(NotFound):
        shop.call("plan_join", run_id="run-1")
    for name in ("session-99", "task-99", "somebody"):
        with pytest.raises(NotFound):
            shop.call("plan_join", children=[name])
    number = shop.ended("print x")["sessionId"]
    with pytest.raises(Invalid, match="can never succeed"):
        shop.call("plan_join", children=[str(number)], join_policy="quorum", quorum_count=2)
    with pytest.raises(Invalid, match="named twice"):
        shop.call("plan_join", children=[str(number), str(number)])
    with pytest.raises(Invalid, match="consensus"):
        shop.call("plan_join", children=[str(number)], consensus={"mode": "loudest"})
