from __future__ import annotations

from tests.ops.graphs.conftest import Desk


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
