from __future__ import annotations

from deedlog.core.page import size
from tests.ops.graphs.conftest import Desk


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
