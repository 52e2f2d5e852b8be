from __future__ import annotations

import pytest

from tests.ops.trust.conftest import CHECKS, Clone


@pytest.mark.proves("trust:event")
def test_a_revoked_value_has_no_effect_any_more_and_that_is_an_event(clone: Clone) -> None:
    clone.brings(CHECKS)
    clone.approve("checks")
    row = clone.items()["checks"]
    clone.call("trust_revoke", ids=[row["id"]])
    assert clone.app.settings["checks"] == {}
    assert clone.items()["checks"]["state"] == "waiting"
    told = [event["after"][row["id"]]["state"] for event in clone.call("event_list", subject=row_uri(row))["events"]]
    assert told == ["approved", "waiting"]


def row_uri(row: dict[str, str]) -> str:
    return f"trust://{row['id']}"


def test_earlier_values_are_revoked_too(clone: Clone) -> None:
    other = CHECKS.replace("make", "just")
    for text in (CHECKS, other):
        clone.brings(text)
        clone.approve("checks")
    clone.call("trust_revoke", ids=[clone.items()["checks"]["id"]])
    for text in (CHECKS, other):
        clone.brings(text)
        assert clone.items()["checks"]["state"] == "waiting"
