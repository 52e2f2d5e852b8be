from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.page import size
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]


def patch(desk: Desk, graph_id: str, *operations: Json, **more: Any) -> Json:
    done: Json = desk.call("graph_patch", graph_id=graph_id, patch=list(operations), **more)
    return done


def replace(path: str, value: Any) -> Json:
    return {"op": "replace", "path": path, "value": value}


@pytest.mark.proves("diff-patch:selectors")
def test_versions_and_graphs_are_compared(desk: Desk) -> None:
    release = desk.release()
    desk.mutate(release, {"op": "patch_metadata", "set": {"a/b": 1}})
    asked: Json = {"from": {"version": 1}, "to": {"latest": True}}
    found = desk.call("graph_diff", graph_id=release, **asked)
    assert found["operations"] == [{"op": "add", "path": "/metadata/a~1b", "value": 1}]
    assert found["summary"] == {
        "nameChanged": False,
        "metadataChanged": True,
        "nodesChanged": False,
        "edgesChanged": False,
    }
    assert (found["from"], found["to"]) == ({"source": "version", "version": 1}, {"source": "latest", "version": 2})
    given: Json = {"from": {"graph": desk.graph(release)}}
    same = desk.call("graph_diff", graph_id=release, **given)
    assert (same["changed"], same["operations"], same["from"]["version"]) == (False, [], None)
    for wrong in ({}, {"version": 0}, {"latest": False}, {"version": 1, "latest": True}, {"graph": 5}):
        desk.refused("graph_diff", graph_id=release, **{"from": wrong or {"x": 1}})
    assert desk.refused("graph_diff", graph_id=release, **{"from": {"version": 9}}).kind == "not_found"


def test_a_long_list_is_compared_item_by_item(desk: Desk) -> None:
    text = "\n".join(f"n{number}: {'x' * 90}" for number in range(300))
    desk.call("graph_create", name="Large", graph_id="large", text=text)
    before = desk.graph("large", 1)
    changes = [{"op": "remove_node", "id": "n7"}, *add("n7b"), {"op": "rename_node", "id": "n9", "new_id": "m"}]
    desk.mutate("large", *changes)
    back = desk.call("graph_diff", graph_id="large", to={"version": 1})
    assert size(back) < 2_000
    patch(desk, "large", *back["operations"])
    assert {**desk.graph("large"), "graphVersion": 1} == before


def test_an_unknown_graph_is_told_from_an_unknown_version(desk: Desk) -> None:
    release = desk.release()
    assert desk.refused("graph_diff", graph_id="nope", **{"from": {"version": 1}}).message == "there is no graph 'nope'"
    refusal = desk.refused("graph_diff", graph_id=release, **{"from": {"version": 7}})
    assert refusal.message == "graph 'release' has no version 7"
