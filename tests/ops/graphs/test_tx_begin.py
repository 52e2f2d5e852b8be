from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.graph import COMMITTED, ROLLED_BACK
from deedlog.testing import START, Clock
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]
EMPTY: Json = {"name": "", "nodes": [], "edges": [], "metadata": {}}


@pytest.mark.proves("tx:begin")
def test_a_transaction_tells_what_it_begins_from(desk: Desk) -> None:
    release = desk.release()
    begun = desk.call("tx_begin", graph_id=release, owner="planner", note="tidy up", ttl_ms=60_000)
    assert begun["graph"] == desk.graph(release)
    assert (begun["graph_id"], begun["base_version"], begun["owner"], begun["note"]) == (
        release,
        1,
        "planner",
        "tidy up",
    )
    assert begun["expires_at"] == begun["started_at"] + 60_000
    assert abs(begun["started_at"] - START // 1_000) < 1_000
    assert begun["op_id"].startswith("op-")
    bare = desk.call("tx_begin", graph_id=release)
    assert (bare["owner"], bare["note"], bare["expires_at"]) == (None, None, None)


def test_a_caller_may_call_the_operation_by_a_name_of_its_own(desk: Desk) -> None:
    begun = desk.call("tx_begin", graph_id=desk.release(), op_id="mine-1")
    assert begun["client_op_id"] == "mine-1"
    assert begun["op_id"].startswith("op-")


def test_another_version_than_expected_cannot_be_begun_from(desk: Desk) -> None:
    release = desk.release()
    assert desk.refused("tx_begin", graph_id=release, expected_version=2).kind == "conflict"
    assert desk.refused("tx_begin", graph_id=release, expected_version=0).kind == "conflict"
    desk.begin(release, expected_version=1)


@pytest.mark.proves("tx:begin")
def test_a_graph_given_inline_never_takes_the_place_of_what_is_committed(desk: Desk) -> None:
    release = desk.release()
    before = desk.call("graph_get", graph_id=release)
    other = {**EMPTY, "name": "Other"}
    assert desk.refused("tx_begin", graph_id=release, graph=other).kind == "conflict"
    assert desk.refused("tx_begin", graph_id=release, graph={**other, "graphVersion": 9}).kind == "conflict"
    same = desk.call("tx_begin", graph_id=release, graph=before["graph"])
    assert desk.call("tx_commit", tx_id=same["tx_id"])["version"] == 1
    knowing = desk.call("tx_begin", graph_id=release, graph=other, expected_version=1)
    assert desk.call("graph_get", graph_id=release) == before
    done = desk.call("tx_commit", tx_id=knowing["tx_id"])
    assert (done["version"], done["graph"]["name"]) == (2, "Other")
    assert desk.graph(release, 1) == before["graph"]


def test_a_graph_that_is_not_there_yet_is_made_by_the_commit(desk: Desk) -> None:
    graph = {"name": "New", "nodes": [{"id": "a"}]}
    begun = desk.call("tx_begin", graph_id="new", graph=graph)
    rival = desk.call("tx_begin", graph_id="new", graph=graph)
    assert begun["base_version"] == 0
    assert desk.refused("graph_get", graph_id="new").kind == "not_found"
    assert desk.call("tx_commit", tx_id=begun["tx_id"])["version"] == 1
    assert desk.refused("tx_commit", tx_id=rival["tx_id"]).kind == "conflict"
    assert [node["id"] for node in desk.graph("new")["nodes"]] == ["a"]


@pytest.mark.proves("tx:snapshot")
def test_snapshots_tell_how_a_transaction_stands(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    base = desk.graph(release)
    txs = {name: desk.begin(release, **({"ttl_ms": 5} if name == "late" else {})) for name in ("one", "two", "late")}
    desk.call("tx_apply", tx_id=txs["one"], operations=add("a"))
    desk.call("tx_commit", tx_id=txs["one"])
    desk.call("tx_rollback", tx_id=txs["two"])
    clock.turn(1)
    found = {
        name: desk.call("resources_read", uri=f"sc://snapshots/{release}/{tx}")["payload"] for name, tx in txs.items()
    }
    assert {name: (one["state"], one["finalVersion"]) for name, one in found.items()} == {
        "one": (COMMITTED, 2),
        "two": (ROLLED_BACK, None),
        "late": (ROLLED_BACK, None),
    }
    assert found["one"]["finalGraph"] == desk.graph(release)
    assert all(one["baseGraph"] == base and one["baseVersion"] == 1 for one in found.values())
