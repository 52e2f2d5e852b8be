from __future__ import annotations

import pytest

from tests.ops.values.conftest import PRIVACY, Call


@pytest.mark.proves("values:explain")
def test_a_plan_is_scored_and_allowed_or_not(call: Call) -> None:
    call("values_set", values=[PRIVACY, {"id": "speed"}])
    fine = call("values_filter", id="p", impacts=[{"value": "privacy", "severity": 0.1}])
    assert (fine["allowed"], fine["score"], fine["threshold"]) == (True, round((2 * 0.9 + 1) / 3, 6), 0.6)
    assert not call("values_filter", id="p", impacts=[{"value": "privacy", "severity": 0.1}], threshold=0.95)["allowed"]
    refused = call("values_score", id="p", impacts=[{"value": "privacy", "impact": "risk"}])["decision"]
    assert (refused["allowed"], [violation["value"] for violation in refused["violations"]]) == (False, ["privacy"])
