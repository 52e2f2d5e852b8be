from __future__ import annotations

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid
from deedlog.core.team import Autoscale
from tests.ops.board.conftest import Call


def test_the_bounds_are_kept_and_told(app: App, call: Call) -> None:
    told = call("agent_autoscale_set", min=1, max=3, thresholds={"backlog_high": 5})
    assert (told["min"], told["max"], told["cooldown_ms"]) == (1, 3, 10_000)
    assert told["thresholds"] == {"backlog_high": 5, "backlog_low": 0, "failure_rate_high": 0.5}
    assert "warnings" not in told
    kept = app.ledger.get(Autoscale, "autoscale")
    assert (kept.least, kept.most, kept.cooldown_ms) == (1, 3, 10_000)
    again = call("agent_autoscale_set", min=0, max=9, cooldown_ms=0)
    assert (again["cooldown_ms"], again["thresholds"]["backlog_high"]) == (0, 2)
    assert "max_workers" in again["warnings"][0]


def test_bounds_that_cannot_be_are_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="max"):
        call("agent_autoscale_set", min=3, max=2)
    with pytest.raises(Invalid, match="backlog_low"):
        call("agent_autoscale_set", min=1, max=2, thresholds={"backlog_low": 3, "backlog_high": 1})
