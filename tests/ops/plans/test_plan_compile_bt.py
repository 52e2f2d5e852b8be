from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.errors import Invalid, NotFound
from tests.conftest import Call

Json = dict[str, Any]


def task(name: str, **attributes: str) -> Json:
    return {"id": name, "kind": "task", "attributes": {"bt_tool": "noop", **attributes}}


def flow(one: str, other: str) -> Json:
    return {"id": f"{one}-{other}", "from": {"nodeId": one}, "to": {"nodeId": other}}


@pytest.mark.proves("plan:bt:compile")
def test_a_hierarchical_graph_becomes_a_tree_in_topological_order(call: Call) -> None:
    inner = {"id": "inner", "nodes": [task("b"), task("a")], "edges": [flow("b", "a")]}
    nodes = [task("last"), {"id": "sub", "kind": "subgraph", "ref": "inner", "graph": inner}, task("first")]
    graph = {"id": "plan", "nodes": nodes, "edges": [flow("first", "sub"), flow("sub", "last")]}
    tree = call("plan_compile_bt", graph=graph)
    assert tree["id"] == "plan"
    assert tree["root"]["type"] == "sequence"
    assert tree["tasks"] == ["first", "sub/b", "sub/a", "last"]


def test_what_was_compiled_can_be_rehearsed(call: Call) -> None:
    tree = call("plan_compile_bt", graph={"id": "p", "nodes": [task("a", bt_input_key="k"), task("b")]})
    tree.pop("tasks")
    answer = call("plan_run_bt", tree=tree, variables={"k": {"x": 1}}, dry_run=True)
    assert answer["waves"] == [["a"], ["b"]]


def test_a_stored_graph_is_compiled_by_its_id(call: Call) -> None:
    nodes = [{"id": "a", "attributes": {"bt_tool": "noop"}}, {"id": "b", "attributes": {"agent": "coder"}}]
    call("graph_create", name="Stored", graph_id="stored", nodes=nodes, edges=[{"from": "a", "to": "b"}])
    assert call("plan_compile_bt", graph_id="stored")["tasks"] == ["b", "a"]
    inside = {"id": "p", "nodes": [{"id": "s", "kind": "subgraph", "ref": "stored"}]}
    assert call("plan_compile_bt", graph=inside)["tasks"] == ["s/b", "s/a"]


def test_it_asks_for_one_graph(call: Call) -> None:
    with pytest.raises(Invalid, match="either graph or graph_id"):
        call("plan_compile_bt")
    with pytest.raises(NotFound, match="no graph 'nowhere'"):
        call("plan_compile_bt", graph_id="nowhere")


def test_a_tree_that_fits_into_no_answer_is_refused(call: Call) -> None:
    nodes = [task(f"{number:03}-{'x' * 100}") for number in range(300)]
    with pytest.raises(Invalid, match="too many for one answer"):
        call("plan_compile_bt", graph={"id": "p", "nodes": nodes})
    answer = call("plan_dry_run", plan_id="p", graph={"id": "p", "nodes": nodes})
    assert answer["compiled_tree"] is None
    assert "too long" in answer["problems"][-1]
    dry = call("plan_run_bt", tree={"type": "parallel", "children": [leaf_of(node) for node in nodes]}, dry_run=True)
    assert len(json.dumps(dry)) < 40_000


def leaf_of(node: Json) -> Json:
    return {"type": "task", "node_id": node["id"], "tool": "noop"}
