from __future__ import annotations

import pytest

from tests.ops.graphs.conftest import Desk


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
