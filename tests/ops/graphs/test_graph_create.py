from __future__ import annotations

import pytest

from deedlog.core.page import size
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


def test_a_deleted_graph_is_gone_but_its_versions_can_be_read(desk: Desk) -> None:
    release = desk.release()
    before = desk.graph(release)
    assert desk.refused("graph_delete", graph_id=release, expected_version=3).kind == "conflict"
    desk.call("graph_delete", graph_id=release)
    assert desk.refused("graph_get", graph_id=release).kind == "not_found"
    assert desk.refused("graph_delete", graph_id=release).kind == "not_found"
    assert desk.graph(release, 1) == before
    assert desk.refused("graph_get", graph_id=release, version=2).kind == "not_found"
    assert desk.call("graph_create", name="Again", graph_id=release)["version"] == 3
    assert [desk.graph(release, version)["name"] for version in (1, 3)] == ["Release", "Again"]


def test_the_graph_of_a_workflow_cannot_be_deleted(desk: Desk) -> None:
    assert desk.refused("graph_delete", graph_id=desk.workflow()).kind == "conflict"


def test_graphs_are_listed_page_by_page(desk: Desk) -> None:
    names = {desk.release(f"g{number}") for number in range(3)} | {desk.workflow() for _ in range(3)}
    found, cursor = [], ""
    while True:
        page = desk.call("graph_list", limit=2, cursor=cursor)
        found += page["graphs"]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    assert [row["kind"] for row in found] == ["graph"] * 3 + ["workflow"] * 3
    assert {row["graph_id"] for row in found} == names
    assert {row["version"] for row in found} == {1}
    assert [row["kind"] for row in desk.call("graph_list", kind="workflow")["graphs"]] == ["workflow"] * 3
    desk.refused("graph_list", cursor="x")


def test_a_large_graph_is_read_page_by_page(desk: Desk) -> None:
    text = "\n".join(f"n{number}: {'x' * 90}" + (f" -> n{number - 1}" if number else "") for number in range(600))
    made = desk.call("graph_create", name="Large", graph_id="large", text=text)
    assert made["graph_cut"]
    assert size(made) < 40_000
    nodes, edges, cursor = [], [], ""
    while True:
        page = desk.call("graph_get", graph_id="large", cursor=cursor)
        assert size(page) < 40_000
        nodes += page["graph"]["nodes"]
        edges += page["graph"]["edges"]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    assert [node["id"] for node in nodes] == [f"n{number}" for number in range(600)]
    assert len(edges) == 599


@pytest.mark.proves("graph:validate")
def test_a_graph_is_checked_against_its_own_rules(desk: Desk) -> None:
    release = desk.release()
    assert desk.call("graph_validate", graph_id=release) == {
        "ok": True,
        "violations": [],
        "nodes": 4,
        "edges": 3,
        "graph_id": release,
        "version": 1,
    }
    circle = {"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]}
    assert desk.call("graph_validate", graph=circle)["ok"]
    found = desk.call("graph_validate", graph={**circle, "metadata": {"graph_kind": "dag"}})
    assert found["violations"][0]["code"] == "E-PATCH-CYCLE"
    assert not desk.call("graph_validate", graph={"nodes": [{"id": 5}]})["ok"]
    desk.refused("graph_validate")
    desk.refused("graph_validate", graph_id=release, graph=circle)


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
