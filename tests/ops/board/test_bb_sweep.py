from __future__ import annotations

import pytest

from deedlog.app import App
from deedlog.core.blackboard import Entry
from deedlog.core.errors import Denied
from deedlog.testing import Clock
from tests.ops.board.conftest import Call


@pytest.mark.proves("blackboard:expiry")
def test_what_expired_does_not_stay_in_the_store(app: App, call: Call, clock: Clock) -> None:
    for number in range(5):
        call("bb_set", key=f"a:{number}", value=number, ttl_ms=1_000)
    clock.turn(10)
    call("bb_set", key="b", value=1)
    assert [entry.id for entry in app.ledger.find(Entry, limit=10)] == ["b"]


def test_sweeping_leaves_what_has_not_expired_and_is_nobodys_own_operation(app: App, call: Call, clock: Clock) -> None:
    call("bb_set", key="a", value=1, ttl_ms=1_000)
    call("bb_set", key="b", value=1, ttl_ms=99_000)
    clock.turn(10)
    app.aside("bb_sweep", {})
    app.aside("bb_sweep", {})
    assert [entry.id for entry in app.ledger.find(Entry, limit=10)] == ["b"]
    with pytest.raises(Denied):
        call("bb_sweep")
    assert call("ledger_undo")["operation"] == "bb_set", "a sweep is nothing that the caller did"
