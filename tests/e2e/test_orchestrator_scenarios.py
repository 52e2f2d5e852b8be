"""Five stories of an orchestrator, each told by one client over MCP with real workers in a real repository."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.orchestra import Hall

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _agents(hall: Hall) -> None:
    hall.agent()


def work(name: str) -> Json:
    """A node of a hierarchical graph that the agent `hand` does, told by the variable of its name."""
    return {"id": name, "kind": "task", "attributes": {"bt_tool": "hand", "bt_input_key": name}}


def arrow(before: str, after: str) -> Json:
    return {"from": {"nodeId": before}, "to": {"nodeId": after}}


def told(*lines: str) -> str:
    return "\n".join(f"do: {line}" for line in lines)


@pytest.mark.proves("scenario:hierarchical-plan", "plan:bt:compile", "events-bus:correlated", "events-bus:logs-tail")
def test_a_plan_of_plans_is_compiled_run_followed_held_cancelled_and_read_about(hall: Hall) -> None:
    ready, pipe = hall.pipe("ready"), hall.pipe("pipe")
    inner = {"id": "prepare", "kind": "subgraph", "graph": {"id": "inner", "nodes": [work("clean")]}}
    plan = {
        "id": "release",
        "nodes": [inner, work("build"), work("ship")],
        "edges": [arrow("prepare", "build"), arrow("build", "ship")],
    }
    tree = hall.ask("plan_compile_bt", graph=plan)
    assert tree["tasks"] == ["prepare/clean", "build", "ship"]

    variables = {
        "clean": told(f"write {ready} up", f"wait {pipe}", "write clean.txt x", "print all clean"),
        "build": told(f"write {ready} up", "hang"),
        "ship": told("write shipped.txt x"),
    }
    given = {"tree": {"id": tree["id"], "root": tree["root"]}, "variables": variables}
    started = hall.ask("plan_run_reactive", **given)
    run = started["run_id"]
    ready.read_text()

    events = hall.ask("events_subscribe", run_id=run, format="jsonlines")
    assert events["count"] == len(events["events"]) > 0
    assert {event["run_id"] for event in events["events"]} == {run}
    assert [json.loads(line)["seq"] for line in events["stream"].splitlines()] == [
        row["seq"] for row in events["events"]
    ]

    assert hall.ask("plan_pause", run_id=run)["state"] == "paused"
    pipe.write_text("")
    hall.ask("worker_wait", timeoutSeconds=60)
    assert hall.ask("plan_status", run_id=run)["state"] == "paused"
    assert hall.ask("plan_resume", run_id=run)["state"] == "running"
    ready.read_text()  # so the second one has begun
    assert "clean.txt" in hall.files()

    cancelled = hall.ask("plan_cancel", run_id=run, reason="enough")
    assert cancelled["reason"] == "enough"
    assert hall.ended(run)["state"] == "cancelled"
    assert hall.trees() == []
    assert "shipped.txt" not in hall.files()

    later = hall.ask("events_subscribe", run_id=run, from_seq=events["next_seq"])
    assert later["events"][0]["seq"] > events["events"][-1]["seq"]
    (first, *_) = hall.ask("resources_list", prefix="sc://children/")["items"]
    child = first["uri"].removeprefix("sc://children/").removesuffix("/logs")
    said = hall.ask("logs_tail", stream="child", id=child)
    assert "all clean" in [line["message"] for line in said["entries"]]
    assert hall.ask("logs_tail", stream="run", id=run)["entries"]


@pytest.mark.proves("scenario:backlog", "stigmergy:order", "supervisor:stall")
def test_a_backlog_is_worked_off_by_marks_within_bounds_though_a_worker_stalls(hall: Hall) -> None:
    ready, pipe = hall.pipe("ready"), hall.pipe("pipe")
    workflow = hall.workflow("Backlog")
    plain = [hall.job(workflow, f"Item {number}", f"append order.txt {number}") for number in range(2)]
    urgent = hall.job(workflow, "Marked", "append order.txt marked")
    slow = (f"write {ready} up", f"wait {pipe}", "write late.txt x")
    stalls = hall.job(workflow, "Stalls", *slow, dependsOn=[*plain, urgent])
    hall.ask("stig_mark", node_id=f"task-{urgent}", type="urgency", intensity=100)
    hall.ask("agent_autoscale_set", min=1, max=1)
    run = hall.ask("plan_run", workflow_id=workflow, retries=1, backoff_ms=1, stall_ms=3_000)["run_id"]
    ready.read_text()
    assert hall.git("show", "main:order.txt").split()[0] == "marked"
    ready.read_text()  # the supervisor has stopped the first attempt, which said nothing; the second one is here
    pipe.write_text("")
    assert hall.ended(run)["state"] == "done"
    attempts = hall.ask("session_list", taskId=stalls)["sessions"]
    assert sorted(row["status"] for row in attempts) == ["cancelled", "completed"]
    assert sorted(hall.git("show", "main:order.txt").split()) == ["0", "1", "marked"]


@pytest.mark.proves("scenario:contract-net", "cnp:award", "plan:join:quorum", "plan:reduce", "plan:fan-out:template")
def test_a_task_goes_to_the_best_bid_and_three_opinions_are_joined_and_counted(hall: Hall) -> None:
    workflow = hall.workflow("Review")
    task = hall.job(workflow, "Who reviews?", "print reviewed", assignee="")
    bids = [{"agent_id": "coder", "cost": 9}, {"agent_id": "hand", "cost": 2}]
    answer = hall.ask("cnp_announce", task_id=f"task-{task}", manual_bids=bids, auto_bid=False)
    assert answer["awarded_agent_id"] == "hand"
    assert hall.ask("task_get", id=task)["assignee"] == "hand"

    pipe = hall.pipe("pipe")
    deeds = {"ann": "print yes", "bob": "print yes", "cid": f"wait {pipe}"}
    children = [{"name": name, "agent": "hand", "prompt_variables": {"deed": deed}} for name, deed in deeds.items()]
    fanned = hall.ask("plan_fanout", prompt_template="do: {{deed}}\ndo: print ok", children_spec=children)
    joined = hall.ask("plan_join", run_id=fanned["run_id"], join_policy="quorum", quorum_count=2, timeout_sec=100)
    assert (joined["satisfied"], joined["success_count"], joined["running_count"]) == (True, 2, 1)
    assert hall.refusal("plan_reduce", reducer="vote", run_id=fanned["run_id"])["code"] == "E-PLAN-STATE"
    pipe.write_text("")
    assert hall.ask("plan_join", run_id=fanned["run_id"], timeout_sec=100)["satisfied"]
    vote = hall.ask("plan_reduce", reducer="vote", run_id=fanned["run_id"])
    assert vote["aggregate"].split() == ["yes", "ok"]
    assert hall.ended(fanned["run_id"])["state"] == "done"


@pytest.mark.proves("scenario:values", "plan:dry-run", "plan:dry-run:rewrite", "values:explain", "assist:suggest-plan")
def test_a_plan_against_the_values_is_told_why_and_another_one_from_finished_work_is_run(hall: Hall) -> None:
    known = hall.workflow("Release safely")
    first = hall.job(known, "Test", "write tested.txt x")
    hall.job(known, "Publish", "write published.txt x", dependsOn=[first])
    assert hall.ended(hall.ask("plan_run", workflow_id=known)["run_id"])["state"] == "done"

    hall.ask("values_set", values=[{"id": "safety", "label": "Safety", "weight": 5, "tolerance": 0.1}])
    risky = [{"value": "safety", "impact": "risk", "severity": 1, "rationale": "nobody tested it", "nodeId": "publish"}]
    nodes = [{"id": "publish", "kind": "task", "attributes": {"bt_tool": "hand", "bt_input_key": "publish"}}]
    plan = {"plan_id": "hurry", "graph": {"id": "hurry", "nodes": nodes, "edges": []}}
    dry = hall.ask("plan_dry_run", **plan, impacts=risky)
    assert dry["value_guard"]["decision"]["allowed"] is False
    why = hall.ask("values_explain", plan={"id": "hurry", "impacts": risky})
    assert why["decision"]["allowed"] is False
    (violation,) = why["violations"]
    assert (violation["nodeId"], bool(violation["hint"])) == ("publish", True)

    offered = hall.ask("kg_suggest_plan", goal="Release safely")
    assert offered["rationale"]
    (fragment, *_) = offered["fragments"]
    assert len(fragment["nodes"]) == 2
    before = len(hall.ask("session_list")["sessions"])
    preview = hall.ask("plan_dry_run", plan_id="safe", graph=fragment, rewrite={})
    assert len(preview["rewrite_preview"]["graph"]["nodes"]) == 2
    assert preview["waves"] == [["test"], ["publish"]]
    assert len(hall.ask("session_list")["sessions"]) == before

    tree = hall.ask("plan_compile_bt", graph=fragment)
    run = hall.ask("plan_run_bt", tree={"id": tree["id"], "root": tree["root"]})["run_id"]
    assert hall.ended(run)["state"] == "done"


@pytest.mark.proves("scenario:transaction", "graph:workflow:tasks", "tx:apply")
def test_the_plan_of_a_workflow_is_changed_in_a_transaction_and_each_version_stays(hall: Hall) -> None:
    workflow = hall.workflow("Plan")
    hall.job(workflow, "First", "write 1.txt x")
    base = hall.ask("graph_get", graph_id=workflow)
    tx = hall.ask("tx_begin", graph_id=workflow, note="a second step")
    assert tx["base_version"] == base["version"]
    node = {"id": "second", "label": "Second", "attributes": {"agent": "hand", "goal": "do: write 2.txt x"}}
    changes: list[Json] = [
        {"op": "add_node", "node": node},
        {"op": "add_edge", "edge": {"from": "second", "to": "task-1"}},
    ]
    applied = hall.ask("tx_apply", tx_id=tx["tx_id"], operations=changes)
    selectors = {"from": {"latest": True}, "to": {"graph": applied["graph"]}}
    difference = hall.ask("graph_diff", graph_id=workflow, **selectors)
    assert difference["operations"] == applied["diff"]
    committed = hall.ask("tx_commit", tx_id=tx["tx_id"])
    assert committed["version"] == base["version"] + 1
    stale = {"graph_id": workflow, "patch": difference["operations"], "base_version": base["version"]}
    assert hall.refusal("graph_patch", **stale)["code"].startswith("E-PATCH")

    label = [{"op": "replace", "path": "/name", "value": "Better plan"}]
    patched = hall.ask("graph_patch", graph_id=workflow, patch=label, base_version=committed["version"])
    versions = [base["version"], committed["version"], patched["committed_version"]]
    read = [hall.ask("resources_read", uri=f"sc://graphs/{workflow}@v{number}")["payload"] for number in versions]
    assert [len(found["graph"]["nodes"]) for found in read] == [1, 2, 2]
    assert [found["graph"]["name"] for found in read] == ["Plan", "Plan", "Better plan"]
    (task,) = [row for row in hall.ask("task_list", workflowId=workflow)["tasks"] if row["title"] == "Second"]
    assert task["waitingFor"] == [1]

    assert hall.ended(hall.ask("plan_run", workflow_id=workflow)["run_id"])["state"] == "done"
    assert {"1.txt", "2.txt"} <= set(hall.files())
