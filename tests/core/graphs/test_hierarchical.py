from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from deedlog.core.graphs.hierarchical import plain
from deedlog.core.graphs.shape import normalised


def test_edges_of_a_plan_are_turned_round_and_kinds_become_attributes() -> None:
    nodes = [{"id": "a", "kind": "task"}, {"id": "b", "kind": "subgraph", "ref": "other", "attributes": {"x": 1}}]
    edges = [{"id": "edge-1", "from": {"nodeId": "a"}, "to": {"nodeId": "b"}, "label": "depends_on"}]
    graph = normalised({"name": "g", **plain(nodes, edges)}, "g", 1)
    assert graph["nodes"] == [
        {"id": "a", "attributes": {}},
        {"id": "b", "attributes": {"x": 1, "kind": "subgraph", "ref": "other"}},
    ]
    assert graph["edges"] == [{"from": "b", "to": "a", "label": "depends_on", "attributes": {}}]


def test_a_graph_in_the_usual_form_stays_as_it_is() -> None:
    nodes = [{"id": "a"}, {"id": "b", "attributes": {"kind": "subgraph"}}]
    edges = [{"from": "a", "to": "b", "weight": 2}]
    assert plain(nodes, edges) == {"nodes": nodes, "edges": edges}


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        ([{"id": "a", "kind": "thing"}], []),
        ([{"id": "a", "kind": ["task"]}], []),
        (["a"], []),
        ([{"id": "a"}], ["a"]),
        ([{"id": "a"}], [{"from": {"nodeId": "a", "port": "x"}, "to": {"nodeId": "a"}}]),
        ([{"id": "a"}], [{"from": {"nodeId": ["a"]}, "to": {"nodeId": "a"}}]),
        ([{"id": "a", "kind": "subgraph", "attributes": 1}], []),
    ],
)
def test_what_is_neither_is_refused(nodes: list[object], edges: list[object]) -> None:
    with pytest.raises(Invalid):
        normalised({"name": "g", **plain(nodes, edges)}, "g", 1)
