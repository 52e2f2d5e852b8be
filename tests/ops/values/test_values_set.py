from __future__ import annotations

from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.knowledge import ValueSet
from tests.ops.values.conftest import PRIVACY, Call


@pytest.mark.proves("values:set")
def test_values_are_kept_with_their_defaults_and_replaced_as_a_whole(app: App, call: Call) -> None:
    edges = [{"from": "privacy", "to": "speed", "kind": "conflicts"}]
    kept = call("values_set", values=[PRIVACY, {"id": "speed"}], relationships=edges, default_threshold=0.7)
    assert kept["summary"] == {"version": 1, "values": 2, "relationships": 1, "default_threshold": 0.7}
    stored = app.ledger.get(ValueSet, "values")
    assert stored.values[1] == {"id": "speed", "label": "", "description": "", "weight": 1, "tolerance": 0.35}
    assert stored.relationships == [{"from": "privacy", "to": "speed", "kind": "conflicts", "weight": 0.5}]
    again = call("values_set", values=[{"id": "cost"}])
    assert again["summary"] == {"version": 2, "values": 1, "relationships": 0, "default_threshold": 0.7}
    call("ledger_undo")
    assert len(app.ledger.get(ValueSet, "values").values) == 2


@pytest.mark.proves("values:set")
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"values": []}, "values"),
        ({"values": [{"id": f"v{number}"} for number in range(129)]}, "values"),
        ({"values": [{"id": "a"}, {"id": " a "}]}, "same id"),
        ({"values": [{"id": "a", "weight": 101}]}, "weight"),
        ({"values": [{"id": "a", "tolerance": 1.1}]}, "tolerance"),
        ({"values": [{"id": "a"}], "relationships": [{"from": "a", "to": "b"}]}, "not declared"),
        ({"values": [{"id": "a"}], "relationships": [{"from": "a", "to": "a"}]}, "itself"),
        ({"values": [{"id": "a"}], "relationships": [{"from": "a", "to": "a"}] * 513}, "relationships"),
        ({"values": [{"id": "a"}], "default_threshold": 2}, "default_threshold"),
    ],
)
def test_values_that_make_no_sense_are_refused(call: Call, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid, match=message):
        call("values_set", **wrong)
    with pytest.raises(NotFound, match="no values are set"):
        call("values_score", id="p", impacts=[{"value": "a"}])
