from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.errors import Invalid
from deedlog.core.graphs.invariant import report
from deedlog.core.graphs.rewrite import RULES, rewritten
from deedlog.core.graphs.shape import is_same, normalised
from deedlog.core.graphs.written import parsed
from tests.core.graphs.graphs import acyclic, graphs

Json = dict[str, Any]


def graph(text: str, **metadata: Any) -> Json:
    return normalised({**parsed(text), "metadata": metadata}, "g", 1)


def with_edge(found: Json, start: str, end: str, **attributes: Any) -> Json:
    edges = [
        {**edge, "attributes": attributes} if (edge["from"], edge["to"]) == (start, end) else edge
        for edge in found["edges"]
    ]
    return {**found, "edges": edges}


def edges(found: Json) -> set[tuple[str, str]]:
    return {(edge["from"], edge["to"]) for edge in found["edges"]}


@pytest.mark.proves("graph:rewrite")
def test_a_parallel_edge_gets_a_node_of_its_own() -> None:
    before = with_edge(graph("a\nb -> a\nc -> a"), "b", "a", parallel=True)
    after = rewritten(before, "split_parallel")
    assert edges(after) == {("b", "b∥a"), ("b∥a", "a"), ("c", "a")}
    both = with_edge(before, "c", "a", mode="parallel")
    assert edges(rewritten(both, "split_parallel", {"split_parallel_targets": ["c -> a"]})) == {
        ("b", "a"),
        ("c", "c∥a"),
        ("c∥a", "a"),
    }


@pytest.mark.proves("graph:rewrite")
def test_avoided_nodes_go_and_who_waited_for_them_waits_for_what_they_waited_for() -> None:
    before = graph("a\nb: Risky -> a\nc -> b\nd -> b")
    assert edges(rewritten(before, "reroute_avoid", {"reroute_avoid_node_ids": ["b"]})) == {("c", "a"), ("d", "a")}
    by_label = rewritten(before, "reroute_avoid", {"reroute_avoid_labels": ["Risky"]})
    assert edges(by_label) == {("c", "a"), ("d", "a")}
    assert rewritten(before, "reroute_avoid", {"reroute_avoid_node_ids": ["nobody"]}) is before


@pytest.mark.proves("graph:rewrite")
def test_a_subgraph_of_the_metadata_takes_the_place_of_its_node() -> None:
    inner = {"graph": parsed("x\ny -> x")}
    before = graph("a\ns -> a\nb -> s", **{"hierarchy:subgraphs": json.dumps({"inner": inner})})
    nodes = [
        {**n, "attributes": {"kind": "subgraph", "ref": "inner"}} if n["id"] == "s" else n for n in before["nodes"]
    ]
    after = rewritten({**before, "nodes": nodes}, "inline_subgraph")
    assert edges(after) == {("s/x", "a"), ("s/y", "s/x"), ("b", "s/y")}
    assert rewritten({**before, "nodes": nodes}, "inline_subgraph", subgraph=lambda _: None) == after


def test_a_graph_that_contains_itself_is_refused() -> None:
    before = graph("s")
    nodes = [{**before["nodes"][0], "attributes": {"kind": "subgraph", "ref": "me"}}]
    inner = {"nodes": [{"id": "s", "attributes": {"kind": "subgraph", "ref": "me"}}]}
    with pytest.raises(Invalid):
        rewritten({**before, "nodes": nodes}, "inline_subgraph", subgraph=lambda _: inner)


@pytest.mark.parametrize(
    ("rule", "params"),
    [("explode", None), ("reroute_avoid", {"nodes": ["a"]}), ("reroute_avoid", {"reroute_avoid_node_ids": "a"})],
)
def test_what_no_rule_knows_is_refused(rule: str, params: Json | None) -> None:
    with pytest.raises(Invalid):
        rewritten(graph("a"), rule, params)


@pytest.mark.proves("graph:rewrite")
@given(given_graph=st.one_of(graphs(), acyclic()), rule=st.sampled_from(RULES), data=st.data())
def test_done_again_a_rule_changes_nothing_and_makes_no_circle(
    given_graph: Json, rule: str, data: st.DataObject
) -> None:
    found = normalised(given_graph, "g", 1)
    marked = [{**e, "attributes": {**e["attributes"], "parallel": data.draw(st.booleans())}} for e in found["edges"]]
    found = {**found, "edges": marked}
    names = [node["id"] for node in found["nodes"]]
    avoided = data.draw(st.lists(st.sampled_from(names))) if names else []
    params = {"reroute_avoid_node_ids": avoided}
    once = rewritten(found, rule, params)
    assert is_same(rewritten(once, rule, params), once)
    if report(found, acyclic=True)["ok"]:
        assert report(once, acyclic=True)["ok"]
