from __future__ import annotations

from deedlog.core.page import size
from tests.ops.graphs.conftest import Desk


def test_a_large_graph_is_read_page_by_page(desk: Desk) -> None:
    text = "\n".join(f"n{number}: {'x' * 90}" + (f" -> n{number - 1}" if number else "") for number in range(600))
    made = desk.call("graph_create", name="Large", graph_id="large", text=text)
    assert made["graph_cut"]
    assert made["graph"]["partial"]
    assert {edge["from"] for edge in made["graph"]["edges"]} == {node["id"] for node in made["graph"]["nodes"][1:]}
    assert size(made) < 40_000
    nodes, edges, cursor = [], [], ""
    while True:
        page = desk.call("graph_get", graph_id="large", cursor=cursor)
        assert size(page) < 40_000
        assert page["graph"]["partial"]
        nodes += page["graph"]["nodes"]
        edges += page["graph"]["edges"]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    assert [node["id"] for node in nodes] == [f"n{number}" for number in range(600)]
    assert len(edges) == 599


def test_a_part_of_a_graph_is_not_taken_for_the_whole(desk: Desk) -> None:
    text = "\n".join(f"n{number}: {'x' * 90}" for number in range(600))
    desk.call("graph_create", name="Large", graph_id="large", text=text)
    page = desk.call("graph_get", graph_id="large")["graph"]
    begun = desk.call("tx_begin", graph_id="large")
    assert begun["graph_cut"]
    for part in (page, begun["graph"]):
        refusal = desk.refused("tx_begin", graph_id="large", graph=part, expected_version=1)
        assert "only a part" in refusal.message
        patch = [{"op": "replace", "path": "", "value": part}]
        assert "only a part" in desk.refused("graph_patch", graph_id="large", patch=patch).message
    desk.call("tx_commit", tx_id=begun["tx_id"])
    assert desk.version("large") == 1


def test_a_graph_with_texts_that_are_cut_says_so(desk: Desk) -> None:
    nodes = [{"id": "a", "attributes": {"goal": "x" * 5_000}}]
    desk.call("graph_create", name="Long", graph_id="long", nodes=nodes)
    shown = desk.graph("long")
    assert len(shown["nodes"][0]["attributes"]["goal"]) < 5_000
    assert "only a part" in desk.refused("tx_begin", graph_id="long", graph=shown).message


def test_a_graph_that_fits_is_whole(desk: Desk) -> None:
    shown = desk.graph(desk.release())
    assert "partial" not in shown
    assert desk.call("tx_begin", graph_id="release", graph=shown)["graph"] == shown
