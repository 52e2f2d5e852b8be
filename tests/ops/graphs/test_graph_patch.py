from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deedlog.core.task import Task
from tests.core.graphs.graphs import acyclic, graphs
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]
EMPTY: Json = {"name": "", "nodes": [], "edges": [], "metadata": {}}


def patch(desk: Desk, graph_id: str, *operations: Json, **more: Any) -> Json:
    done: Json = desk.call("graph_patch", graph_id=graph_id, patch=list(operations), **more)
    return done


def replace(path: str, value: Any) -> Json:
    return {"op": "replace", "path": path, "value": value}


def parts(graph: Json) -> Json:
    return {name: graph[name] for name in EMPTY}


def _tasks_agree(desk: Desk, workflow: str) -> None:
    tasks = {task.id: task for task in desk.app.ledger.find(Task, {"workflow_id": workflow}, limit=200)}
    for task in tasks.values():
        assert task.waiting == len(task.depends_on)
        assert (task.queue == "blocked") == bool(task.depends_on)
        assert all(task.id in tasks[needed].blocks for needed in task.depends_on)
        assert all(task.id in tasks[waiting].depends_on for waiting in task.blocks)


def test_a_patch_is_a_new_version(desk: Desk) -> None:
    release = desk.release()
    done = patch(desk, release, replace("/nodes/0/label", "Compile"), {"op": "add", "path": "/metadata/x", "value": 1})
    assert (done["base_version"], done["committed_version"], done["operations_applied"]) == (1, 2, 2)
    assert done["graph"] == desk.graph(release)
    assert done["graph"]["nodes"][0] == {"id": "build", "label": "Compile", "attributes": {}}


def test_a_patch_of_nothing_keeps_the_version(desk: Desk) -> None:
    release = desk.release()
    done = patch(desk, release, replace("/name", "Release"))
    assert (done["changed"], done["committed_version"]) == (False, 1)
    assert desk.version(release) == 1


@pytest.mark.proves("diff-patch:base-version")
def test_a_base_version_that_moved_is_a_conflict(desk: Desk) -> None:
    release = desk.release()
    patch(desk, release, replace("/name", "One"), base_version=1)
    refusal = desk.refused("graph_patch", graph_id=release, patch=[replace("/name", "Two")], base_version=1)
    assert refusal.kind == "conflict"
    assert desk.graph(release)["name"] == "One"


def test_a_test_in_a_patch_guards_it(desk: Desk) -> None:
    release = desk.release()
    guard = {"op": "test", "path": "/graphVersion", "value": 1}
    patch(desk, release, guard, replace("/name", "One"))
    assert desk.refused("graph_patch", graph_id=release, patch=[guard, replace("/name", "Two")]).kind == "conflict"
    assert desk.graph(release)["name"] == "One"


def test_a_name_replaced_by_a_patch_keeps_the_task(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    task = desk.named(workflow, "a").id
    patch(desk, workflow, replace("/nodes/0/id", "c"), replace("/edges/0/to", "c"))
    assert desk.named(workflow, "c").id == task
    assert desk.named(workflow, "b").waiting == 1


@pytest.mark.proves("diff-patch:invariants")
@pytest.mark.parametrize(
    ("metadata", "change", "code"),
    [
        ({"dag": True}, {"edges": [("a", "b"), ("b", "a")]}, "E-PATCH-CYCLE"),
        ({"enforce_dag": True}, {"edges": [("a", "a")]}, "E-PATCH-CYCLE"),
        ({"require_ports": True}, {"edges": [("a", "b")]}, "E-PATCH-PORTS"),
        ({"max_in_degree": 1}, {"edges": [("a", "c"), ("b", "c")]}, "E-PATCH-CARD"),
        ({"max_out_degree": 1}, {"edges": [("c", "a"), ("c", "b")]}, "E-PATCH-CARD"),
        ({"require_labels": True}, {}, "E-PATCH-INVARIANT-VIOLATION"),
        ({"require_edge_labels": True}, {"edges": [("a", "b")]}, "E-PATCH-INVARIANT-VIOLATION"),
    ],
)
def test_a_patch_that_breaks_a_rule_is_refused_by_its_code(
    desk: Desk, metadata: Json, change: dict[str, list[tuple[str, str]]], code: str
) -> None:
    desk.call("graph_create", name="G", graph_id="g", text="a\nb\nc")
    edges = [{"from": start, "to": end} for start, end in change.get("edges", [])]
    operations = [replace("/metadata", metadata), replace("/edges", edges)]
    assert desk.refused("graph_patch", graph_id="g", patch=operations).data["code"] == code
    assert desk.version("g") == 1
    done = patch(desk, "g", *operations, enforce_invariants=False)
    assert (done["invariants"]["ok"], done["invariants"]["violations"][0]["code"]) == (False, code)


def test_a_rule_of_one_node_counts_more_than_that_of_all(desk: Desk) -> None:
    desk.call("graph_create", name="G", graph_id="g", text="a\nb\nc -> a, b", metadata={"max_out_degree": 5})
    limit = {"op": "add", "path": "/nodes/2/attributes/max_out_degree", "value": 1}
    assert desk.refused("graph_patch", graph_id="g", patch=[limit]).data["code"] == "E-PATCH-CARD"


def test_a_workflow_has_no_circle_whatever_is_said(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    circle = [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]
    for more in ({}, {"enforce_invariants": False}):
        refusal = desk.refused("graph_patch", graph_id=workflow, patch=[replace("/edges", circle)], **more)
        assert refusal.data["code"] == "E-PATCH-CYCLE"
    assert desk.version(workflow) == 2


@pytest.mark.parametrize(
    "bad",
    [
        replace("/nodes/9/label", "x"),
        replace("/graphId", "other"),
        replace("/nodes", "none"),
        {"op": "remove", "path": "/nodes/0"},
        {"op": "explode", "path": "/name"},
        {"op": "add", "path": "/nodes/-"},
        {"op": "remove", "path": ""},
        replace("name", "x"),
        replace("", []),
    ],
)
def test_what_is_no_patch_of_this_graph_is_refused(desk: Desk, bad: Json) -> None:
    release = desk.release()
    assert desk.refused("graph_patch", graph_id=release, patch=[bad]).kind == "invalid"
    assert desk.version(release) == 1


@pytest.mark.proves("diff-patch:identity")
@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_patch_of_the_difference_turns_one_graph_into_the_other(desk: Desk, data: st.DataObject) -> None:
    """Free-standing graphs, through the store."""
    graph_id = desk.call("graph_create", name="first")["graph_id"]
    for _ in range(2):
        wanted = data.draw(graphs())
        found = desk.call("graph_diff", graph_id=graph_id, to={"graph": wanted})
        done = patch(desk, graph_id, *found["operations"], enforce_invariants=False)
        assert done["changed"] == found["changed"]
        assert not desk.call("graph_diff", graph_id=graph_id, to={"graph": wanted})["changed"]
    back = desk.call("graph_diff", graph_id=graph_id, to={"version": 1})
    patch(desk, graph_id, *back["operations"], enforce_invariants=False)
    assert parts(desk.graph(graph_id)) == parts(desk.graph(graph_id, 1))


@pytest.mark.proves("diff-patch:identity")
@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_patch_of_the_difference_turns_one_workflow_into_the_other(desk: Desk, data: st.DataObject) -> None:
    """Tasks come, change and go; what waits for what is right on both sides after every step."""
    workflow = desk.workflow()
    for _ in range(3):
        wanted = {**data.draw(acyclic()), "name": "Workflow"}
        found = desk.call("graph_diff", graph_id=workflow, to={"graph": wanted})
        patch(desk, workflow, *found["operations"])
        assert not desk.call("graph_diff", graph_id=workflow, to={"graph": wanted})["changed"]
        _tasks_agree(desk, workflow)
    for version in range(1, desk.version(workflow) + 1):
        back = desk.call("graph_diff", graph_id=workflow, to={"version": version})
        patch(desk, workflow, *back["operations"])
        assert parts(desk.graph(workflow)) == parts(desk.graph(workflow, version))
    _tasks_agree(desk, workflow)
