from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.graph import ROLLED_BACK
from deedlog.testing import Clock
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]


def test_an_expired_one_can_still_be_rolled_back_once(desk: Desk, clock: Clock) -> None:
    tx = desk.begin(desk.release(), ttl_ms=1_000)
    clock.turn(2)
    desk.call("tx_rollback", tx_id=tx)
    assert desk.refused("tx_rollback", tx_id=tx).data["code"] == "E-TX-EXPIRED"


@pytest.mark.proves("tx:rollback", "tx:rollback:twice")
def test_a_rollback_leaves_the_graph_as_it_was_and_ends_it(desk: Desk) -> None:
    release = desk.release()
    before = desk.call("graph_get", graph_id=release)
    tx = desk.begin(release)
    desk.call("tx_apply", tx_id=tx, operations=[{"op": "remove_node", "id": "lint"}])
    done = desk.call("tx_rollback", tx_id=tx)
    assert (done["version"], done["snapshot"]) == (1, before["graph"])
    assert desk.call("graph_get", graph_id=release) == before
    for name, more in (("tx_rollback", {}), ("tx_commit", {}), ("tx_apply", {"operations": add("a")})):
        refusal = desk.refused(name, tx_id=tx, **more)
        assert (refusal.data["code"], refusal.data["state"]) == ("E-TX-NOTFOUND", ROLLED_BACK)
    assert desk.version(release) == 1
