"""The codes by which agents tell refusals of graph tools apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.faces.mcp.refusal import refused
from deedlog.testing import Clock
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]
MOST_MESSAGE = 120


def code(desk: Desk, name: str, /, **arguments: Any) -> str:
    refusal = desk.refused(name, **arguments)
    told = refused(desk.app.catalog[name].capability, refusal)
    body: Json = json.loads(told["content"][0]["text"])
    assert body["ok"] is False
    assert len(body["message"]) <= MOST_MESSAGE
    return str(body["code"])


@pytest.mark.proves("tx:conflict", "tx:rollback:twice")
def test_codes_of_transactions(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    late, mine = desk.begin(release, ttl_ms=1), desk.begin(release)
    desk.mutate(release, *add("a"))
    clock.turn(1)
    assert code(desk, "tx_commit", tx_id=mine) == "E-TX-CONFLICT"
    assert code(desk, "tx_commit", tx_id=late) == "E-TX-EXPIRED"
    assert code(desk, "tx_commit", tx_id="nobody") == "E-TX-NOTFOUND"
    assert code(desk, "tx_begin", graph_id="nobody") == "E-TX-NOTFOUND"
    assert code(desk, "tx_begin", graph_id=release, ttl_ms=0) == "E-TX-INVALID-INPUT"
    assert code(desk, "tx_apply", tx_id=mine, operations=[{"op": "explode"}]) == "E-TX-INVALIDOP"


@pytest.mark.proves("locks:holder", "locks:unlock")
def test_codes_of_locks(desk: Desk) -> None:
    release = desk.release()
    desk.call("graph_lock", graph_id=release, holder="h" * 120)
    assert code(desk, "graph_lock", graph_id=release, holder="bob") == "E-LOCK-HELD"
    assert code(desk, "graph_patch", graph_id=release, patch=[]) == "E-LOCK-HELD"
    assert code(desk, "graph_mutate", graph_id=release, operations=add("a")) == "E-LOCK-HELD"
    assert code(desk, "tx_begin", graph_id=release) == "E-LOCK-HELD"
    assert code(desk, "graph_unlock", lock_id="nobody") == "E-LOCK-NOTFOUND"
    assert code(desk, "graph_lock", graph_id="nobody") == "E-LOCK-NOTFOUND"


@pytest.mark.proves("diff-patch:base-version", "bulk:all-or-nothing")
def test_codes_of_patches_and_batches(desk: Desk) -> None:
    release = desk.release()
    change = [{"op": "replace", "path": "/name", "value": "x"}]
    assert code(desk, "graph_patch", graph_id=release, patch=change, base_version=7) == "E-PATCH-CONFLICT"
    assert code(desk, "graph_patch", graph_id=release, patch=[{"op": "explode"}]) == "E-PATCH-INVALID"
    assert code(desk, "graph_patch", graph_id="nobody", patch=change) == "E-PATCH-NOTFOUND"
    assert code(desk, "graph_mutate", graph_id="nobody", operations=[]) == "E-GRAPH-NOTFOUND"
    assert code(desk, "graph_batch_mutate", graph_id=release, operations=[{"op": "explode"}]) == "E-BULK-PARTIAL"
    batch = {"operations": add("a"), "expected_version": 7}
    assert code(desk, "graph_batch_mutate", graph_id=release, **batch) == "E-BULK-CONFLICT"
