from __future__ import annotations

import pytest

from tests.ops.graphs.conftest import Desk, add

TEXT = """
# a comment
lint: Lint
test: Unit tests -> lint
build -> test, lint
"""


@pytest.mark.proves("graph:free-standing")
def test_a_graph_is_made_from_lines_of_text(desk: Desk) -> None:
    made = desk.call("graph_create", name="Pipeline", graph_id="p", text=TEXT)
    assert made["graph"] == desk.graph("p")
    assert (made["version"], made["task_count"], made["edge_count"]) == (1, 3, 3)
    assert [(node["id"], node.get("label")) for node in made["graph"]["nodes"]] == [
        ("build", None),
        ("lint", "Lint"),
        ("test", "Unit tests"),
    ]
    assert [(edge["from"], edge["to"]) for edge in made["graph"]["edges"]] == [
        ("build", "lint"),
        ("build", "test"),
        ("test", "lint"),
    ]


@pytest.mark.proves("graph:free-standing")
@pytest.mark.parametrize("preset", ["lint_test_build_package", "analysis_ci_pipeline"])
def test_a_graph_is_made_from_a_preset(desk: Desk, preset: str) -> None:
    made = desk.call("graph_create", name="Pipeline", preset=preset)
    assert (made["task_count"], made["edge_count"]) == (4, 3)
    assert desk.call("graph_validate", graph_id=made["graph_id"])["ok"]


@pytest.mark.proves("graph:free-standing")
def test_a_graph_is_made_from_nodes_and_edges(desk: Desk) -> None:
    nodes = [{"id": "b", "attributes": {"x": 1.5}}, {"id": "a", "label": "A"}]
    edges = [{"from": "b", "to": "a", "weight": 2}]
    made = desk.call("graph_create", name="G", nodes=nodes, edges=edges, metadata={"dag": True})
    assert made["graph"] == {
        "name": "G",
        "graphId": made["graph_id"],
        "graphVersion": 1,
        "nodes": [{"id": "a", "label": "A", "attributes": {}}, {"id": "b", "attributes": {"x": 1.5}}],
        "edges": [{"from": "b", "to": "a", "weight": 2, "attributes": {}}],
        "metadata": {"dag": True},
    }


@pytest.mark.parametrize(
    "bad",
    [
        {"text": "a -> b"},
        {"text": "a\na"},
        {"text": "a b"},
        {"nodes": [{"id": "a"}, {"id": "a"}]},
        {"nodes": [{"id": ""}]},
        {"nodes": [{"id": "a b"}]},
        {"nodes": [{"id": "a", "attributes": {"x": [1]}}]},
        {"nodes": [{"id": "a", "color": "red"}]},
        {"edges": [{"from": "a", "to": "b"}]},
        {"nodes": [{"id": "a"}], "edges": [{"from": "a", "to": "a"}], "metadata": {"dag": True}},
        {"graph_id": "a/b"},
        {"graph_id": "wf-mine"},
        {"preset": "lint_test_build_package", "text": "a"},
    ],
)
def test_what_is_no_graph_is_refused_and_nothing_is_made(desk: Desk, bad: dict[str, object]) -> None:
    desk.refused("graph_create", name="G", **bad)
    assert desk.call("graph_list")["graphs"] == []


def test_an_id_that_is_taken_is_refused(desk: Desk) -> None:
    desk.release()
    assert desk.refused("graph_create", name="G", graph_id="release").kind == "conflict"


def test_a_subgraph_is_put_in_place_of_its_node(desk: Desk) -> None:
    desk.release("inner")
    workflow = desk.workflow()
    desk.mutate(workflow, *add("start"), *add("ci", "start", kind="subgraph", ref="inner"), *add("ship", "ci"))
    rewrite = {"op": "rewrite", "rule": "inline_subgraph"}
    desk.mutate(workflow, rewrite)
    graph = desk.graph(workflow)
    assert [(edge["from"], edge["to"]) for edge in graph["edges"]] == [
        ("ci/build", "ci/test"),
        ("ci/lint", "start"),
        ("ci/package", "ci/build"),
        ("ci/test", "ci/lint"),
        ("ship", "ci/package"),
    ]
    assert not desk.mutate(workflow, rewrite)["changed"]
