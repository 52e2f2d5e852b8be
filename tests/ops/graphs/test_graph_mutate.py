from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.queue import BLOCKED
from deedlog.core.task import OPEN
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]


def ids(graph: Json) -> list[str]:
    return [node["id"] for node in graph["nodes"]]


def edges(graph: Json) -> list[tuple[str, str]]:
    return [(edge["from"], edge["to"]) for edge in graph["edges"]]


@pytest.mark.proves("graph:workflow:tasks")
def test_adding_a_node_to_a_workflow_makes_a_task(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("lint"), *add("test", "lint", label="Unit tests", priority="high", agent="coder"))
    lint, test = desk.named(workflow, "lint"), desk.named(workflow, "test")
    assert (test.name, test.priority, test.assignee, test.status) == ("Unit tests", "high", "coder", OPEN)
    assert (test.depends_on, test.waiting, test.queue) == ([lint.id], 1, BLOCKED)
    assert (lint.blocks, lint.queue) == ([test.id], "medium")


@pytest.mark.proves("graph:workflow:tasks")
def test_tasks_are_nodes_and_what_they_wait_for_is_edges(desk: Desk) -> None:
    workflow = desk.workflow()
    first = desk.call("task_create", title="First", workflowId=workflow, priority="low", labels="a, b")["id"]
    desk.call("task_create", title="Second", workflowId=workflow, dependsOn=[first], description="why")
    graph = desk.graph(workflow)
    assert graph["nodes"] == [
        {"id": "task-1", "label": "First", "attributes": {"priority": "low", "labels": "a,b"}},
        {"id": "task-2", "label": "Second", "attributes": {"goal": "why"}},
    ]
    assert graph["edges"] == [{"from": "task-2", "to": "task-1", "attributes": {}}]


def test_what_a_task_waits_for_elsewhere_is_no_part_of_the_graph_and_stays(desk: Desk) -> None:
    elsewhere = desk.call("task_create", title="Elsewhere")["id"]
    workflow = desk.workflow()
    own = desk.call("task_create", title="Here", workflowId=workflow, dependsOn=[elsewhere])["id"]
    desk.mutate(workflow, *add("more"), {"op": "add_edge", "edge": {"from": f"task-{own}", "to": "more"}})
    assert edges(desk.graph(workflow)) == [(f"task-{own}", "more")]
    assert desk.task(own).depends_on == [desk.task(elsewhere).id, desk.named(workflow, "more").id]
    assert desk.task(own).waiting == 2


@pytest.mark.proves("graph:operations")
def test_removing_a_node_deletes_its_task_and_frees_those_that_waited(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("lint"), *add("test", "lint"))
    desk.mutate(workflow, {"op": "remove_node", "id": "lint"})
    test = desk.named(workflow, "test")
    assert (test.depends_on, test.waiting, test.queue) == ([], 0, "medium")
    assert ids(desk.graph(workflow)) == ["test"]


def test_a_task_that_somebody_worked_on_stays_and_is_named(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.call("start_task", workflow_id=workflow, name="At work", goal="g")
    refusal = desk.refused("graph_mutate", graph_id=workflow, operations=[{"op": "remove_node", "id": "task-1"}])
    assert refusal.message == "task-1 cannot be removed: there is a session of it"
    assert ids(desk.graph(workflow)) == ["task-1"]


def test_a_task_for_which_one_elsewhere_waits_stays(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("lint"))
    number = desk.named(workflow, "lint").number
    desk.call("task_create", title="Elsewhere", dependsOn=[number])
    refusal = desk.refused("graph_mutate", graph_id=workflow, operations=[{"op": "remove_node", "id": "lint"}])
    assert "waits for it" in refusal.message


@pytest.mark.proves("graph:operations")
def test_a_renamed_node_is_the_same_task(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("lint"), *add("test", "lint"))
    before = desk.named(workflow, "lint")
    desk.mutate(workflow, {"op": "rename_node", "id": "lint", "new_id": "style"})
    assert desk.named(workflow, "style").id == before.id
    assert edges(desk.graph(workflow)) == [("test", "style")]


def test_names_are_exchanged_in_one_go(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    a, b = desk.named(workflow, "a").id, desk.named(workflow, "b").id
    names = (("a", "c"), ("b", "a"), ("c", "b"))
    desk.mutate(workflow, *({"op": "rename_node", "id": old, "new_id": new} for old, new in names))
    assert (desk.named(workflow, "b").id, desk.named(workflow, "a").id) == (a, b)
    assert edges(desk.graph(workflow)) == [("a", "b")]


def test_a_name_that_tasks_have_or_will_have_is_refused(desk: Desk) -> None:
    workflow = desk.workflow()
    refusal = desk.refused("graph_mutate", graph_id=workflow, operations=add("task-900"))
    assert "another task" in refusal.message
    assert ids(desk.graph(workflow)) == []


def test_a_circle_in_a_workflow_is_refused_and_nothing_changes(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    version = desk.version(workflow)
    refusal = desk.refused(
        "graph_mutate", graph_id=workflow, operations=[*add("c"), {"op": "add_edge", "edge": {"from": "a", "to": "b"}}]
    )
    assert refusal.data["code"] == "E-PATCH-CYCLE"
    assert "a → b → a" in refusal.message
    assert (ids(desk.graph(workflow)), desk.version(workflow)) == (["a", "b"], version)


def test_a_circle_through_a_task_elsewhere_is_refused(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b"))
    a, b = (desk.named(workflow, name).number for name in "ab")
    elsewhere = desk.call("task_create", title="Elsewhere", dependsOn=[b])["id"]
    desk.call("task_depend", id=a, add=[elsewhere])
    refusal = desk.refused(
        "graph_mutate", graph_id=workflow, operations=[{"op": "add_edge", "edge": {"from": "b", "to": "a"}}]
    )
    assert refusal.data["code"] == "E-PATCH-CYCLE"


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("priority", "huge"), ("type", "chore"), ("agent", 5), ("impacts", "[1]"), ("labels", ",".join("x" * 101))],
)
def test_what_no_task_can_be_is_refused(desk: Desk, attribute: str, value: Any) -> None:
    workflow = desk.workflow()
    value = "x" * 101 if attribute == "labels" else value
    desk.refused("graph_mutate", graph_id=workflow, operations=add("a", **{attribute: value}))
    assert ids(desk.graph(workflow)) == []


@pytest.mark.proves("graph:operations")
def test_attributes_that_tasks_do_not_know_are_kept(desk: Desk) -> None:
    workflow = desk.workflow()
    impacts = '[{"value":"privacy","impact":"risk","severity":0.5}]'
    desk.mutate(workflow, *add("a", duration=3, ready=True, impacts=impacts))
    assert desk.graph(workflow)["nodes"][0]["attributes"] == {"duration": 3, "ready": True, "impacts": impacts}
    assert desk.named(workflow, "a").impacts == [{"value": "privacy", "impact": "risk", "severity": 0.5}]
    desk.mutate(workflow, {"op": "set_node_attribute", "id": "a", "key": "ready", "value": None})
    desk.mutate(workflow, {"op": "set_node_attribute", "id": "a", "key": "duration", "value": True})
    assert desk.graph(workflow)["nodes"][0]["attributes"] == {"duration": True, "impacts": impacts}


@pytest.mark.proves("graph:operations")
def test_edges_keep_label_weight_and_attributes(desk: Desk) -> None:
    for graph_id in (desk.workflow(), desk.release()):
        desk.mutate(graph_id, *add("a"), *add("b"))
        edge = {"from": "b", "to": "a", "label": "needs", "weight": 2.5, "attributes": {"from_port": "out"}}
        desk.mutate(graph_id, {"op": "add_edge", "edge": edge})
        assert edge in desk.graph(graph_id)["edges"]
        change = {"op": "set_edge_attribute", "from": "b", "to": "a", "key": "from_port", "value": None}
        desk.mutate(graph_id, change)
        assert {**edge, "attributes": {}} in desk.graph(graph_id)["edges"]


def test_a_change_of_nothing_keeps_the_version(desk: Desk) -> None:
    for graph_id in (desk.workflow(), desk.release()):
        desk.mutate(graph_id, *add("a"))
        before = desk.call("graph_get", graph_id=graph_id)
        again = desk.mutate(graph_id, *add("a"))
        assert (again["changed"], again["version"]) == (False, before["version"])
        assert desk.call("graph_get", graph_id=graph_id) == before


@pytest.mark.proves("graph:operations")
def test_metadata_and_name_belong_to_the_workflow(desk: Desk) -> None:
    workflow = desk.workflow("Old")
    desk.mutate(workflow, {"op": "patch_metadata", "set": {"max_out_degree": 1}})
    assert desk.graph(workflow)["metadata"] == {"max_out_degree": 1}
    refusal = desk.refused("graph_mutate", graph_id=workflow, operations=[*add("a"), *add("b"), *add("c", "a", "b")])
    assert refusal.data["code"] == "E-PATCH-CARD"
    desk.mutate(workflow, {"op": "patch_metadata", "unset": ["max_out_degree"]})
    assert desk.graph(workflow)["metadata"] == {}


def test_another_version_than_expected_is_a_conflict(desk: Desk) -> None:
    release = desk.release()
    refusal = desk.refused("graph_mutate", graph_id=release, operations=add("a"), expected_version=7)
    assert (refusal.kind, refusal.data["version"]) == ("conflict", 1)
    assert desk.mutate(release, *add("a"), expected_version=1)["version"] == 2


def test_an_operation_that_cannot_be_done_is_named_and_none_is(desk: Desk) -> None:
    release = desk.release()
    refusal = desk.refused(
        "graph_mutate", graph_id=release, operations=[*add("a"), {"op": "remove_node", "id": "tset"}]
    )
    assert refusal.message == "operations[1]: there is no node 'tset'"
    assert refusal.hint == "did you mean 'test'?"
    assert desk.version(release) == 1


def test_a_workflow_that_had_ended_goes_on_with_a_new_node(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.call("complete_workflow", workflow_id=workflow, status="completed", summary="done")
    desk.mutate(workflow, *add("more"))
    assert desk.call("workflow_get", workflow_id=workflow)["status"].lower() == "in_progress"


@pytest.mark.proves("graph:versions")
def test_every_version_can_be_read_again(desk: Desk) -> None:
    for graph_id in (desk.workflow(), desk.release()):
        seen = {desk.version(graph_id): desk.graph(graph_id)}
        changes: list[list[Json]] = [
            add("a", goal="first"),
            add("b", "a"),
            [{"op": "set_node_attribute", "id": "a", "key": "goal", "value": "second"}],
            [{"op": "rename_node", "id": "a", "new_id": "z"}],
            [{"op": "remove_edge", "from": "b", "to": "z"}],
            [{"op": "patch_metadata", "set": {"x": 1}}],
            [{"op": "remove_node", "id": "z"}],
        ]
        for change in changes:
            desk.mutate(graph_id, *change)
            seen[desk.version(graph_id)] = desk.graph(graph_id)
        assert len(seen) == 8
        assert {version: desk.graph(graph_id, version) for version in seen} == seen


@pytest.mark.proves("graph:versions", "graph:workflow:tasks")
def test_tasks_changed_by_their_own_operations_make_versions(desk: Desk) -> None:
    workflow = desk.workflow()
    number = desk.call("task_create", title="A", workflowId=workflow)["id"]
    desk.call("task_update", id=number, title="B")
    desk.call("task_delete", id=number)
    names = [[node["label"] for node in desk.graph(workflow, version)["nodes"]] for version in (1, 2, 3, 4)]
    assert names == [[], ["A"], ["B"], []]
    assert desk.version(workflow) == 4


def test_what_happens_to_a_task_makes_no_version(desk: Desk) -> None:
    workflow = desk.workflow()
    task = desk.call("start_task", workflow_id=workflow, name="A", goal="g")["task_id"]
    version = desk.version(workflow)
    desk.call("log_decision", task_id=task, category="architecture", question="q", chosen="c", reasoning="r")
    desk.call("complete_task", task_id=task, status="success", outcome={"summary": "done"})
    assert desk.version(workflow) == version


def test_an_undo_takes_a_change_of_a_graph_back_as_a_new_version(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    before = desk.graph(workflow)
    desk.mutate(workflow, {"op": "remove_node", "id": "a"})
    desk.call("ledger_undo")
    assert {**desk.graph(workflow), "graphVersion": 2} == before
    assert desk.version(workflow) == 4
    assert desk.named(workflow, "b").waiting == 1


def test_parts_of_an_operation_may_be_spelt_either_way(desk: Desk) -> None:
    release = desk.release()
    desk.mutate(release, {"op": "rename_node", "id": "lint", "newId": "check"})
    assert "check" in {node["id"] for node in desk.graph(release)["nodes"]}
    both = {"op": "rename_node", "id": "check", "newId": "a", "new_id": "b"}
    assert "two spellings" in desk.refused("graph_mutate", graph_id=release, operations=[both]).message
