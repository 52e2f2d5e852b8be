from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.graph import COMMITTED, PENDING, ROLLED_BACK
from deedlog.testing import Clock
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]


@pytest.mark.proves("tx:commit", "tx:apply")
@pytest.mark.parametrize("of_workflow", [True, False])
def test_what_is_applied_becomes_the_next_version_at_once(desk: Desk, of_workflow: bool) -> None:  # noqa: FBT001
    graph_id = desk.workflow() if of_workflow else desk.release()
    before = desk.call("graph_get", graph_id=graph_id)
    tx = desk.begin(graph_id)
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
    tx = desk.begin(release)
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
    mine, other = desk.begin(graph_id), desk.begin(graph_id)
    desk.call("tx_apply", tx_id=mine, operations=add("mine"))
    desk.call("tx_apply", tx_id=other, operations=add("other"))
    desk.call("tx_commit", tx_id=other)
    after = desk.graph(graph_id)
    refusal = desk.refused("tx_commit", tx_id=mine)
    assert refusal.kind == "conflict"
    assert "code" not in refusal.data  # so that its family says E-TX-CONFLICT
    assert "tx_rollback" in refusal.hint
    assert "tx_begin" in refusal.hint
    assert desk.graph(graph_id) == after
    assert desk.state(mine) == PENDING
    desk.call("tx_rollback", tx_id=mine)


def test_a_task_that_changed_meanwhile_is_a_conflict(desk: Desk) -> None:
    workflow = desk.workflow()
    tx = desk.begin(workflow)
    desk.call("tx_apply", tx_id=tx, operations=add("a"))
    desk.call("task_create", title="Quick", workflowId=workflow)
    assert desk.refused("tx_commit", tx_id=tx).kind == "conflict"


@pytest.mark.proves("tx:conflict")
def test_one_whose_time_is_over_is_expired(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    tx = desk.begin(release, ttl_ms=1_000)
    clock.turn(2)
    for name, more in (("tx_apply", {"operations": add("a")}), ("tx_commit", {})):
        assert desk.refused(name, tx_id=tx, **more).data["code"] == "E-TX-EXPIRED"
    desk.begin(release)
    assert desk.state(tx) == ROLLED_BACK  # the next one swept it
    assert desk.refused("tx_commit", tx_id=tx).data["code"] == "E-TX-EXPIRED"


@pytest.mark.proves("tx:rollback:twice")
def test_a_committed_one_is_over_and_an_unknown_one_is_not_found(desk: Desk) -> None:
    release = desk.release()
    tx = desk.begin(release)
    desk.call("tx_apply", tx_id=tx, operations=add("a"))
    desk.call("tx_commit", tx_id=tx)
    for name in ("tx_commit", "tx_rollback"):
        refusal = desk.refused(name, tx_id=tx)
        assert (refusal.data["code"], refusal.data["state"]) == ("E-TX-NOTFOUND", COMMITTED)
    assert desk.version(release) == 2
    assert desk.refused("tx_commit", tx_id="tx-nobody").kind == "not_found"
    assert desk.refused("tx_begin", graph_id="nobody").kind == "not_found"


def test_a_commit_can_be_undone(desk: Desk) -> None:
    workflow = desk.workflow()
    before = desk.graph(workflow)
    tx = desk.begin(workflow)
    desk.call("tx_apply", tx_id=tx, operations=[*add("a"), *add("b", "a")])
    desk.call("tx_commit", tx_id=tx)
    desk.call("ledger_undo")
    assert {**desk.graph(workflow), "graphVersion": 1} == before
    assert desk.refused("tx_commit", tx_id=tx).kind == "conflict"  # its version is gone
