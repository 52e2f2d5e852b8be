"""What people and agents are told of runs is true, and what a hint names can be called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict, Denied, Invalid, NotFound
from deedlog.testing import app_in, caller
from tests.conftest import Call
from tests.ops.plans.planning import ended, resting, sessions, until, workflow
from tests.ops.workers.conftest import Shop

RISK = {"value": "privacy", "impact": "risk", "severity": 1}


def row(status: dict[str, Any], node: str) -> dict[str, Any]:
    return next(row for row in status["nodes"] if row["node"] == node)


@pytest.mark.proves("plan:told:progress")
def test_progress_of_a_failed_run_is_the_share_that_was_done(shop: Shop) -> None:
    plan = workflow(shop)
    shop.task("write a.txt a", workflowId=plan)
    bad = shop.task("exit 3", workflowId=plan)
    shop.task("write b.txt b", workflowId=plan, dependsOn=[bad])
    status = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    assert (status["state"], status["progress"]) == ("failed", 33)
    assert shop.call("plan_wait")["problem"] == "of 3 nodes 1 failed, 1 skipped"


@pytest.mark.proves("plan:told:unchanged")
def test_a_worker_that_changed_nothing_is_done_and_its_node_says_so(shop: Shop) -> None:
    plan = workflow(shop)
    test = shop.task("print all is well", workflowId=plan)
    ship = shop.task("write a.txt a", workflowId=plan, dependsOn=[test])
    status = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    assert (status["state"], status["progress"]) == ("done", 100)
    assert row(status, f"task-{test}")["unchanged"]
    assert "unchanged" not in row(status, f"task-{ship}")
    texts = [event["message"] for event in watched(shop, status["run_id"])]
    assert f"task-{test} session-1 finished: it changed nothing" in texts
    assert not [text for text in texts if "changed: " in text]
    assert (shop.reviews(), shop.trees()) == ([], [])


def watched(shop: Shop, run_id: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = shop.call("resources_watch", uri=f"sc://runs/{run_id}/events")["events"]
    return events


@pytest.mark.proves("plan:told:output")
def test_what_a_failed_worker_said_last_stands_wherever_its_failure_does(shop: Shop) -> None:
    plan = workflow(shop)
    bad = shop.task("print first", "error no such file: x.csv", "exit 3", workflowId=plan)
    status = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    error = row(status, f"task-{bad}")["error"]
    assert (error["message"], error["output"]) == ("its exit code was 3", "no such file: x.csv")
    assert "hint" not in error
    assert shop.call("plan_wait")["failed"][0]["error"]["output"] == "no such file: x.csv"
    assert shop.call("session_get", sessionId=1)["error"]["output"] == "no such file: x.csv"
    [review] = shop.call("review_list")["reviews"]
    assert "It said last: no such file: x.csv. Its work is in" in review["question"]
    assert "review_list" in status["hint"]


@pytest.mark.proves("plan:told:output")
def test_that_a_sandbox_may_be_the_reason_is_told(shop: Shop) -> None:
    plan = workflow(shop)
    bad = shop.task("error x: Permission denied", "exit 1", workflowId=plan)
    status = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    enforcement = sessions(shop)[0].enforcement
    hint = row(status, f"task-{bad}")["error"].get("hint", "")
    assert (f"a sandbox ({enforcement})" in hint) == (enforcement not in ("", "none"))


@pytest.mark.proves("plan:told:hints")
def test_a_failure_nobody_is_asked_about_does_not_send_to_the_reviews(shop: Shop) -> None:
    plan = workflow(shop)
    shop.call("values_set", values=[{"id": "privacy", "label": "Privacy", "weight": 1, "tolerance": 0.1}])
    task = shop.task("write a.txt a", workflowId=plan)
    impacts = {"op": "set_node_attribute", "id": f"task-{task}", "key": "impacts", "value": json.dumps([RISK])}
    shop.call("graph_mutate", graph_id=plan, operations=[impacts])
    status = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    assert status["hint"] == f"`plan_run {plan}` tries what is not done again"
    assert status["nodes"][0]["error"]["hint"] == f"`plan_dry_run {plan}` tells why"
    assert shop.call("plan_dry_run", plan_id=plan)["value_guard"]["violations"]


@pytest.mark.proves("plan:told:hints")
def test_the_hint_of_a_refusal_by_values_can_be_followed(shop: Shop) -> None:
    plan = workflow(shop)
    shop.task("write a.txt a", workflowId=plan)
    shop.call("values_set", values=[{"id": "privacy", "label": "Privacy", "weight": 1, "tolerance": 0.1}])
    with pytest.raises(Conflict) as refused:
        shop.call("plan_run", workflow_id=plan, impacts=[RISK])
    assert refused.value.hint.startswith(f"`plan_dry_run {plan}` with the same impacts")
    assert shop.call("plan_dry_run", plan_id=plan, impacts=[RISK])["value_guard"]["violations"]


@pytest.mark.proves("plan:told:unnamed")
def test_a_run_need_not_be_named_where_only_one_can_be_meant(shop: Shop) -> None:
    for name in ("plan_status", "plan_pause", "plan_resume", "plan_cancel"):
        with pytest.raises(NotFound):
            shop.call(name)
    _, first = resting(shop)
    assert shop.call("plan_status")["run_id"] == first
    assert shop.call("plan_pause")["run_id"] == first
    _, second = resting(shop)
    assert shop.call("plan_status")["run_id"] == second
    with pytest.raises(Invalid) as refused:
        shop.call("plan_cancel")
    assert {first, second} == set(refused.value.hint.removeprefix("name one of them: ").split(", "))
    shop.call("plan_cancel", run_id=second)
    assert shop.call("plan_status")["run_id"] == first
    assert shop.call("plan_cancel")["run_id"] == first
    assert shop.call("plan_wait", run_id=first)["problem"] == "it was cancelled"


def test_an_answer_tells_of_the_event_that_its_call_made(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    shop.task(f"wait {pipe}", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: any(session.leader for session in sessions(shop)))
    assert shop.call("plan_pause")["last_event"]["operation"] == "plan_pause"
    assert shop.call("plan_resume")["last_event"]["operation"] in ("plan_resume", "plan_advance")
    answer = shop.call("plan_cancel", run_id=run_id)
    assert answer["lifecycle"]["finished_at"]
    assert answer["lifecycle"]["counts"] == {"cancelled": 1}
    assert answer["progress"] == answer["lifecycle"]["progress"] == 0


def test_a_guard_that_fails_a_tree_is_named_with_its_key(shop: Shop) -> None:
    inside = {"type": "task", "node_id": "inside", "tool": "noop"}
    guard = {"type": "guard", "condition_key": "ship:ready", "expected": True, "child": inside}
    tree = {"id": "t", "root": {"type": "sequence", "id": "s", "children": [guard]}}
    run_id = shop.call("plan_run_bt", tree=tree, timeout_ms=60_000)["run_id"]
    failure = shop.call("plan_status", run_id=run_id)["failure"]
    assert "'ship:ready'" in failure["message"]
    assert failure["guard"]["key"] == "ship:ready"
    assert failure["nodes"] != ["s"]


@pytest.mark.proves("plan:told:hints")
def test_what_is_off_is_named_only_with_how_to_switch_it_on(shop: Shop) -> None:
    shop.configure(max_workers=4)
    plan = workflow(shop)
    pipe = shop.pipe()
    shop.task(f"wait {pipe}", workflowId=plan)
    told = shop.call("plan_run", workflow_id=plan)
    assert told["hint"] == f"resources_watch sc://runs/{told['run_id']}/events tells how it goes"
    with pytest.raises(Conflict) as refused:
        shop.call("plan_run", workflow_id=plan)
    assert "plan_cancel" in refused.value.hint
    assert "`capability_set cancellation`" in refused.value.hint
    shop.open(enable=["supervision", "cancellation"])
    shop.call("plan_cancel")


def test_a_tool_that_is_off_says_which_capability_to_set(tmp_path: Path) -> None:
    app: App = app_in(str(tmp_path))
    with pytest.raises(Denied) as refused:
        app.call("plan_status", {}, caller())
    assert "`capability_set plan-lifecycle`" in refused.value.hint


def test_a_dry_run_shows_what_is_left_and_what_goes_side_by_side(call: Call) -> None:
    wf = str(call("start_workflow", name="Ship it")["workflow_id"])
    first, second = (int(call("task_create", title=name, workflowId=wf)["id"]) for name in ("one", "two"))
    third = int(call("task_create", title="three", workflowId=wf, dependsOn=[first])["id"])
    root = call("plan_dry_run", plan_id=wf)["compiled_tree"]["root"]
    assert [child["type"] for child in root["children"]] == ["parallel", "task"]
    assert [child["id"] for child in root["children"][0]["children"]] == [f"task-{first}", f"task-{second}"]
    call("task_done", id=first, note="by hand")
    answer = call("plan_dry_run", plan_id=wf)
    assert answer["waves"] == [[f"task-{second}", f"task-{third}"]]
    assert len(answer["nodes"]) == 3
