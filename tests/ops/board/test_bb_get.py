from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from tests.ops.board.conftest import Call


@pytest.mark.proves("blackboard:entries", "blackboard:expiry")
def test_an_entry_that_expired_is_gone_at_once_for_everybody_who_asks(call: Call, clock: Clock) -> None:
    call("bb_set", key="lease:a", value=1, ttl_ms=1_000)
    clock.turn(0.999)
    assert call("bb_get", key="lease:a")["entry"]["value"] == 1
    clock.turn(0.001)
    with pytest.raises(NotFound):
        call("bb_get", key="lease:a")
    assert call("bb_query", namespace="lease")["entries"] == []
    assert call("bb_query", keys=["lease:a"])["entries"] == []
    with pytest.raises(NotFound):
        call("bb_delete", key="lease:a")
