from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.graph import COMMITTED, PENDING, ROLLED_BACK, Tx
from deedlog.testing import START, Clock
from deedlog.work.transactions import snapshot
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]
EMPTY: Json = {"name": "", "nodes": [], "edges": [], "metadata": {}}


def begin(desk: Desk, graph_id: str, **more: Any) -> str:
    return str(desk.call("tx_begin", graph_id=graph_id, **more)["tx_id"])


def state(desk: Desk, tx_id: str) -> str:
    return desk.app.ledger.get(Tx, tx_id).state


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


@pytest.mark.proves("tx:commit", "tx:apply")
@pytest.mark.parametrize("of_workflow", [True, False])
def test_what_is_applied_becomes_the_next_version_at_once(desk: Desk, of_workflow: bool) -> None:  # noqa: FBT001
    graph_id = desk.workflow() if of_workflow else desk.release()
    before = desk.call("graph_get", graph_id=graph_id)
    tx = begin(desk, graph_id)
    first = desk.call("tx_apply", tx_id=tx, operations=add("a"))
    second = desk.call("tx_apply", tx_id=tx, operations=add("b", "a"))
    assert desk.call("graph_get", graph_id=graph_id) == before
    assert (first["preview_version"], second["preview_version"]) == (before["version"] + 1, before["version"] + 1)
    assert second["diff_summary"] == {
        "nameChanged": False,
        "metadataChanged": False,
        "nodesChanged": True,
        "edgesChanged": True,
    }
    assert [operation["path"] for operation in second["diff"]] == ["/nodes", "/edges"]
    assert second["applied"][0] == {"op": "add_node", "description": "node b added", "changed": True}
    assert second["invariants"] == {"ok": True, "violations": []}
    done = desk.call("tx_commit", tx_id=tx)
    assert done["version"] == before["version"] + 1
    assert done["graph"] == desk.graph(graph_id) == desk.graph(graph_id, done["version"])
    assert done["committed_at"] == desk.call("graph_get", graph_id=graph_id)["committed_at"]


@pytest.mark.proves("tx:commit")
def test_a_commit_without_a_change_keeps_version_and_moment(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    before = desk.call("graph_get", graph_id=release)
    clock.turn(60)
    tx = begin(desk, release)
    same = [*add("a"), {"op": "remove_node", "id": "a"}]
    preview = desk.call("tx_apply", tx_id=tx, operations=same)
    assert (preview["changed"], preview["preview_version"], preview["diff"]) == (False, 1, [])
    done = desk.call("tx_commit", tx_id=tx)
    assert (done["version"], done["committed_at"]) == (before["version"], before["committed_at"])
    assert desk.call("graph_get", graph_id=release) == before


@pytest.mark.proves("tx:conflict")
@pytest.mark.parametrize("of_workflow", [True, False])
def test_a_version_that_moved_is_a_conflict_and_nothing_is_lost(desk: Desk, of_workflow: bool) -> None:  # noqa: FBT001
    graph_id = desk.workflow() if of_workflow else desk.release()
    mine, other = begin(desk, graph_id), begin(desk, graph_id)
    desk.call("tx_apply", tx_id=mine, operations=add("mine"))
    desk.call("tx_apply", tx_id=other, operations=add("other"))
    desk.call("tx_commit", tx_id=other)
    after = desk.graph(graph_id)
    refusal = desk.refused("tx_commit", tx_id=mine)
    assert refusal.kind == "conflict"
    assert "code" not in refusal.data  # so that its family says E-TX-CONFLICT
    assert desk.graph(graph_id) == after
    assert state(desk, mine) == PENDING
    desk.call("tx_rollback", tx_id=mine)


def test_a_task_that_changed_meanwhile_is_a_conflict(desk: Desk) -> None:
    workflow = desk.workflow()
    tx = begin(desk, workflow)
    desk.call("tx_apply", tx_id=tx, operations=add("a"))
    desk.call("task_create", title="Quick", workflowId=workflow)
    assert desk.refused("tx_commit", tx_id=tx).kind == "conflict"


def test_another_version_than_expected_cannot_be_begun_from(desk: Desk) -> None:
    release = desk.release()
    assert desk.refused("tx_begin", graph_id=release, expected_version=2).kind == "conflict"
    assert desk.refused("tx_begin", graph_id=release, expected_version=0).kind == "conflict"
    begin(desk, release, expected_version=1)


@pytest.mark.proves("tx:conflict")
def test_one_whose_time_is_over_is_expired(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    tx = begin(desk, release, ttl_ms=1_000)
    clock.turn(2)
    for name, more in (("tx_apply", {"operations": add("a")}), ("tx_commit", {})):
        assert desk.refused(name, tx_id=tx, **more).data["code"] == "E-TX-EXPIRED"
    begin(desk, release)
    assert state(desk, tx) == ROLLED_BACK  # the next one swept it
    assert desk.refused("tx_commit", tx_id=tx).data["code"] == "E-TX-EXPIRED"


def test_an_expired_one_can_still_be_rolled_back_once(desk: Desk, clock: Clock) -> None:
    tx = begin(desk, desk.release(), ttl_ms=1_000)
    clock.turn(2)
    desk.call("tx_rollback", tx_id=tx)
    assert desk.refused("tx_rollback", tx_id=tx).data["code"] == "E-TX-EXPIRED"


@pytest.mark.proves("tx:rollback", "tx:rollback:twice")
def test_a_rollback_leaves_the_graph_as_it_was_and_ends_it(desk: Desk) -> None:
    release = desk.release()
    before = desk.call("graph_get", graph_id=release)
    tx = begin(desk, release)
    desk.call("tx_apply", tx_id=tx, operations=[{"op": "remove_node", "id": "lint"}])
    done = desk.call("tx_rollback", tx_id=tx)
    assert (done["version"], done["snapshot"]) == (1, before["graph"])
    assert desk.call("graph_get", graph_id=release) == before
    for name, more in (("tx_rollback", {}), ("tx_commit", {}), ("tx_apply", {"operations": add("a")})):
        refusal = desk.refused(name, tx_id=tx, **more)
        assert (refusal.data["code"], refusal.data["state"]) == ("E-TX-NOTFOUND", ROLLED_BACK)
    assert desk.version(release) == 1


@pytest.mark.proves("tx:rollback:twice")
def test_a_committed_one_is_over_and_an_unknown_one_is_not_found(desk: Desk) -> None:
    release = desk.release()
    tx = begin(desk, release)
    desk.call("tx_apply", tx_id=tx, operations=add("a"))
    desk.call("tx_commit", tx_id=tx)
    for name in ("tx_commit", "tx_rollback"):
        refusal = desk.refused(name, tx_id=tx)
        assert (refusal.data["code"], refusal.data["state"]) == ("E-TX-NOTFOUND", COMMITTED)
    assert desk.version(release) == 2
    assert desk.refused("tx_commit", tx_id="tx-nobody").kind == "not_found"
    assert desk.refused("tx_begin", graph_id="nobody").kind == "not_found"


@pytest.mark.proves("tx:rollback:twice")
def test_a_change_that_cannot_be_made_leaves_the_transaction_as_it_was(desk: Desk) -> None:
    workflow = desk.workflow()
    tx = begin(desk, workflow)
    desk.call("tx_apply", tx_id=tx, operations=add("a"))
    for bad in ([*add("b"), {"op": "remove_node", "id": "nobody"}], add("c", priority="huge"), [{"op": "explode"}]):
        assert desk.refused("tx_apply", tx_id=tx, operations=bad).data["code"] == "E-TX-INVALIDOP"
    done = desk.call("tx_commit", tx_id=tx)
    assert [node["id"] for node in done["graph"]["nodes"]] == ["a"]


def test_a_broken_rule_is_told_while_working_and_refused_at_the_end(desk: Desk) -> None:
    workflow = desk.workflow()
    tx = begin(desk, workflow)
    circle = [*add("a"), *add("b", "a"), {"op": "add_edge", "edge": {"from": "a", "to": "b"}}]
    preview = desk.call("tx_apply", tx_id=tx, operations=circle)
    assert (preview["invariants"]["ok"], preview["invariants"]["violations"][0]["code"]) == (False, "E-PATCH-CYCLE")
    assert desk.refused("tx_commit", tx_id=tx).data["code"] == "E-PATCH-CYCLE"
    desk.call("tx_apply", tx_id=tx, operations=[{"op": "remove_edge", "from": "b", "to": "a"}])
    assert desk.call("tx_commit", tx_id=tx)["version"] == 2


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


def test_a_node_renamed_over_several_steps_is_still_the_same_task(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"))
    task = desk.named(workflow, "a").id
    tx = begin(desk, workflow)
    for old, new in (("a", "b"), ("b", "c")):
        desk.call("tx_apply", tx_id=tx, operations=[{"op": "rename_node", "id": old, "new_id": new}])
    desk.call("tx_commit", tx_id=tx)
    assert desk.named(workflow, "c").id == task


def test_a_commit_can_be_undone(desk: Desk) -> None:
    workflow = desk.workflow()
    before = desk.graph(workflow)
    tx = begin(desk, workflow)
    desk.call("tx_apply", tx_id=tx, operations=[*add("a"), *add("b", "a")])
    desk.call("tx_commit", tx_id=tx)
    desk.call("ledger_undo")
    assert {**desk.graph(workflow), "graphVersion": 1} == before
    assert desk.refused("tx_commit", tx_id=tx).kind == "conflict"  # its version is gone


@pytest.mark.proves("tx:snapshot")
def test_snapshots_tell_how_a_transaction_stands(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    base = desk.graph(release)
    txs = {name: begin(desk, release, **({"ttl_ms": 5} if name == "late" else {})) for name in ("one", "two", "late")}
    desk.call("tx_apply", tx_id=txs["one"], operations=add("a"))
    desk.call("tx_commit", tx_id=txs["one"])
    desk.call("tx_rollback", tx_id=txs["two"])
    clock.turn(1)
    found = {name: snapshot(desk.app.ledger.get(Tx, tx), clock()) for name, tx in txs.items()}
    assert {name: (one["state"], one["finalVersion"]) for name, one in found.items()} == {
        "one": (COMMITTED, 2),
        "two": (ROLLED_BACK, None),
        "late": (ROLLED_BACK, None),
    }
    assert found["one"]["finalGraph"] == desk.graph(release)
    assert all(one["baseGraph"] == base and one["baseVersion"] == 1 for one in found.values())
