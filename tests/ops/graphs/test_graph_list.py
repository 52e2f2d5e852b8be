from __future__ import annotations

from tests.ops.graphs.conftest import Desk


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
