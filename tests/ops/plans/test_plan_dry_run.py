from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid, NotFound
from deedlog.testing import app_in, caller
from tests.conftest import Call

Json = dict[str, Any]
RISK = {"value": "privacy", "impact": "risk", "severity": 0.9}


def node(name: str, **attributes: str) -> Json:
    return {"id": name, "label": f"The {name}", "attributes": {"bt_tool": "noop", **attributes}}


def valued(call: Call) -> None:
    call("values_set", values=[{"id": "privacy", "label": "Privacy", "weight": 1, "tolerance": 0.3}])


def workflow(call: Call) -> tuple[str, list[int]]:
    wf = str(call("start_workflow", name="Ship it")["workflow_id"])
    first = int(call("task_create", title="one", workflowId=wf, assignee="coder")["id"])
    second = int(call("task_create", title="two", workflowId=wf, dependsOn=[first])["id"])
    third = int(call("task_create", title="three", workflowId=wf, dependsOn=[first])["id"])
    return wf, [first, second, third]


@pytest.mark.proves("plan:dry-run")
def test_it_shows_what_a_workflow_would_run_and_starts_nothing(call: Call, app: App) -> None:
    wf, (first, second, third) = workflow(call)
    before = app.ledger.head()
    answer = call("plan_dry_run", plan_id="p", plan_label="The plan", workflow_id=wf)
    assert app.ledger.head() == before
    assert answer["plan_label"] == "The plan"
    assert answer["waves"] == [[f"task-{first}"], [f"task-{second}", f"task-{third}"]]
    rows = {row["task_id"]: row for row in answer["nodes"]}
    assert rows[f"task-{first}"]["by"] == "coder"
    assert rows[f"task-{second}"]["after"] == [f"task-{first}"]
    assert {row["status"] for row in answer["nodes"]} == {"open"}
    assert answer["compiled_tree"]["root"]["type"] == "sequence"
    assert answer["value_guard"] is None
    assert answer["rewrite_preview"] is None
    assert answer["problems"] == []


def test_a_tree_is_shown_in_waves(call: Call) -> None:
    leaves = [{"type": "task", "node_id": name, "tool": "noop"} for name in "abc"]
    tree = {"type": "sequence", "children": [{"type": "parallel", "children": leaves[:2]}, leaves[2]]}
    answer = call("plan_dry_run", plan_id="p", tree=tree)
    assert answer["waves"] == [["a", "b"], ["c"]]
    assert answer["nodes"][2]["after"] == ["a", "b"]


@pytest.mark.proves("plan:dry-run")
def test_it_says_what_the_values_say_of_the_plan_and_of_each_node(call: Call) -> None:
    valued(call)
    nodes = [{"id": "safe"}, {"id": "leak", "label": "Leak", "value_impacts": [RISK]}]
    guard = call("plan_dry_run", plan_id="p", nodes=nodes)["value_guard"]
    assert guard["decision"]["allowed"] is False
    assert guard["refused_nodes"] == ["leak"]
    assert guard["violations"][0]["nodeId"] == "leak"
    support = [{"value": "privacy", "impact": "support"}]
    assert call("plan_dry_run", plan_id="p", impacts=support)["value_guard"]["decision"]["allowed"] is True


@pytest.mark.proves("plan:dry-run:rewrite")
def test_it_previews_the_graph_without_what_the_values_refuse(call: Call) -> None:
    valued(call)
    edges = [{"from": "c", "to": "b"}, {"from": "b", "to": "a"}]
    graph = {"name": "g", "nodes": [node("a"), node("b"), node("c")], "edges": edges}
    answer = call("plan_dry_run", plan_id="p", graph=graph, nodes=[{"id": "b", "value_impacts": [RISK]}])
    assert answer["reroute_avoid"] == {"node_ids": ["b"], "labels": []}
    preview = answer["rewrite_preview"]
    assert preview["changed"] is True
    assert [found["id"] for found in preview["graph"]["nodes"]] == ["a", "c"]
    assert [(edge["from"], edge["to"]) for edge in preview["graph"]["edges"]] == [("c", "a")]
    assert [row["id"] for row in answer["nodes"]] == ["a", "b", "c"], "the plan itself is as it was"


@pytest.mark.proves("plan:dry-run:rewrite")
def test_it_previews_a_hierarchical_graph_inlined_and_rerouted(call: Call) -> None:
    inner = {"id": "i", "nodes": [{"id": "x", "kind": "task", "attributes": {"bt_tool": "noop"}}]}
    nodes = [
        {"id": "a", "kind": "task", "label": "Slow", "attributes": {"bt_tool": "noop"}},
        {"id": "s", "kind": "subgraph", "ref": "i", "graph": inner},
    ]
    edges = [{"id": "e", "from": {"nodeId": "a"}, "to": {"nodeId": "s"}}]
    graph = {"id": "h", "nodes": nodes, "edges": edges}
    answer = call("plan_dry_run", plan_id="p", graph=graph, rewrite={}, reroute_avoid={"labels": ["Slow"]})
    assert answer["waves"] == [["a"], ["s/x"]]
    assert [found["id"] for found in answer["rewrite_preview"]["graph"]["nodes"]] == ["s/x"]
    changed = {row["rule"]: row["changed"] for row in answer["rewrite_preview"]["applied"]}
    assert changed == {"split_parallel": False, "inline_subgraph": True, "reroute_avoid": True}


def test_an_agent_that_is_not_there_is_a_problem(call: Call) -> None:
    graph = {"name": "g", "nodes": [{"id": "a", "attributes": {"agent": "nobody"}}], "edges": []}
    assert call("plan_dry_run", plan_id="p", graph=graph)["problems"] == ["a: there is no agent 'nobody'"]


def test_what_is_no_plan_is_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="is needed"):
        call("plan_dry_run", plan_id="p")
    with pytest.raises(Invalid, match="give one of"):
        call("plan_dry_run", plan_id="p", workflow_id="wf-1", tree={"type": "task"})
    with pytest.raises(NotFound):
        call("plan_dry_run", plan_id="p", workflow_id="wf-1")
    circle = [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]
    with pytest.raises(Invalid, match="wait for each other"):
        call("plan_dry_run", plan_id="p", graph={"nodes": [node("a"), node("b")], "edges": circle})
    with pytest.raises(Invalid, match="severity from 0 to 1"):
        call("plan_dry_run", plan_id="p", impacts=[{"value": "v", "severity": 7}])
    with pytest.raises(Invalid, match="no JSON"):
        call("plan_dry_run", plan_id="p", graph={"nodes": [node("a", impacts="{")], "edges": []})


def test_a_graph_that_is_too_large_for_a_tree_is_shown_all_the_same(call: Call) -> None:
    nodes = [node(f"n{number:04}") for number in range(1_500)]
    edges = [{"from": f"n{number:04}", "to": f"n{number - 1:04}"} for number in range(1, 1_500)]
    answer = call("plan_dry_run", plan_id="p", graph={"name": "g", "nodes": nodes, "edges": edges})
    assert answer["compiled_tree"] is None
    assert answer["waves"][:2] == [["n0000"], ["n0001"]]


def test_a_stored_graph_is_tried_by_its_id(call: Call) -> None:
    call(
        "graph_create", name="Stored", graph_id="stored", nodes=[node("a"), node("b")], edges=[{"from": "a", "to": "b"}]
    )
    answer = call("plan_dry_run", plan_id="p", graph_id="stored")
    assert answer["waves"] == [["b"], ["a"]]
    assert "task_id" not in answer["nodes"][0]


@pytest.mark.parametrize(
    ("given", "capability"),
    [({"impacts": [RISK]}, "value-guard"), ({"threshold": 0.5}, "value-guard"), ({"stall_ms": 5_000}, "supervisor")],
)
def test_what_nobody_would_look_at_is_refused_by_a_run_and_told_by_a_trial(
    tmp_path: Path, given: dict[str, Any], capability: str
) -> None:
    app = app_in(str(tmp_path / "other"), tree=str(tmp_path))
    plan = app.call("start_workflow", {"name": "x", "plan": []}, caller())["workflow_id"]
    with pytest.raises(Invalid, match=f"{next(iter(given))}: needs the capability '{capability}'") as refusal:
        app.call("plan_run", {"workflow_id": plan, **given}, caller())
    assert f"`capability_set {capability}`" in refusal.value.hint
    if capability == "value-guard":
        answer = app.call("plan_dry_run", {"plan_id": plan, **given}, caller())
        assert any("not judged" in problem for problem in answer["problems"])
