from __future__ import annotations

from typing import Any

import pytest

from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]


@pytest.mark.proves("tx:rollback:twice")
def test_a_change_that_cannot_be_made_leaves_the_transaction_as_it_was(desk: Desk) -> None:
    workflow = desk.workflow()
    tx = desk.begin(workflow)
    desk.call("tx_apply", tx_id=tx, operations=add("a"))
    for bad in ([*add("b"), {"op": "remove_node", "id": "nobody"}], add("c", priority="huge"), [{"op": "explode"}]):
        assert desk.refused("tx_apply", tx_id=tx, operations=bad).data["code"] == "E-TX-INVALIDOP"
    done = desk.call("tx_commit", tx_id=tx)
    assert [node["id"] for node in done["graph"]["nodes"]] == ["a"]


def test_a_broken_rule_is_told_while_working_and_refused_at_the_end(desk: Desk) -> None:
    workflow = desk.workflow()
    tx = desk.begin(workflow)
    circle = [*add("a"), *add("b", "a"), {"op": "add_edge", "edge": {"from": "a", "to": "b"}}]
    preview = desk.call("tx_apply", tx_id=tx, operations=circle)
    assert (preview["invariants"]["ok"], preview["invariants"]["violations"][0]["code"]) == (False, "E-PATCH-CYCLE")
    assert desk.refused("tx_commit", tx_id=tx).data["code"] == "E-PATCH-CYCLE"
    desk.call("tx_apply", tx_id=tx, operations=[{"op": "remove_edge", "from": "b", "to": "a"}])
    assert desk.call("tx_commit", tx_id=tx)["version"] == 2


def test_a_node_renamed_over_several_steps_is_still_the_same_task(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"))
    task = desk.named(workflow, "a").id
    tx = desk.begin(workflow)
    for old, new in (("a", "b"), ("b", "c")):
        desk.call("tx_apply", tx_id=tx, operations=[{"op": "rename_node", "id": old, "new_id": new}])
    desk.call("tx_commit", tx_id=tx)
    assert desk.named(workflow, "c").id == task
