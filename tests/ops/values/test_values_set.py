from __future__ import annotations

from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.knowledge import ValueSet
from tests.ops.values.conftest import Call

PRIVACY = {"id": "privacy", "label": "Privacy", "weight": 2, "tolerance": 0.2}


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


@pytest.mark.proves("values:explain")
def test_a_plan_is_scored_and_allowed_or_not(call: Call) -> None:
    call("values_set", values=[PRIVACY, {"id": "speed"}])
    fine = call("values_filter", id="p", impacts=[{"value": "privacy", "severity": 0.1}])
    assert (fine["allowed"], fine["score"], fine["threshold"]) == (True, round((2 * 0.9 + 1) / 3, 6), 0.6)
    assert not call("values_filter", id="p", impacts=[{"value": "privacy", "severity": 0.1}], threshold=0.95)["allowed"]
    refused = call("values_score", id="p", impacts=[{"value": "privacy", "impact": "risk"}])["decision"]
    assert (refused["allowed"], [violation["value"] for violation in refused["violations"]]) == (False, ["privacy"])


@pytest.mark.proves("values:explain")
def test_an_explanation_says_why_where_and_what_to_do(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    impacts = [{"value": "privacy", "severity": 0.9, "rationale": "logs e-mails", "nodeId": "collect"}]
    explained = call("values_explain", plan={"id": "p", "impacts": impacts, "correlation": {"run_id": "run-1"}})
    assert explained["decision"]["allowed"] is False
    (violation,) = explained["violations"]
    assert (violation["nodeId"], violation["nodeLabel"]) == ("collect", "Privacy")
    assert violation["primaryContributor"]["impact"]["rationale"] == "logs e-mails"
    assert "logs e-mails" in violation["hint"]
    assert explained["correlation"] == {"run_id": "run-1"}


def test_an_impact_is_taken_in_either_spelling(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    explained = call("values_explain", plan={"id": "p", "impacts": [{"value": "privacy", "node_id": "collect"}]})
    assert explained["violations"][0]["nodeId"] == "collect"


def test_a_plan_without_impacts_or_with_too_many_is_refused(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    for impacts in ([], [{"value": "privacy"}] * 65):
        with pytest.raises(Invalid, match="impacts"):
            call("values_filter", id="p", impacts=impacts)
        with pytest.raises(Invalid, match="impacts"):
            call("values_explain", plan={"id": "p", "impacts": impacts})


def test_the_largest_answer_stays_readable(call: Call) -> None:
    names = [f"value-{number:03}" + "x" * 100 for number in range(128)]
    edges = [{"from": names[0], "to": name} for name in names[1:]]
    call("values_set", values=[{"id": name, "tolerance": 0} for name in names], relationships=edges)
    impacts = [{"value": names[0], "rationale": "r" * 240}] * 64
    for arguments in ({"id": "p", "impacts": impacts},):
        assert len(str(call("values_filter", **arguments))) < 40_000
    assert len(str(call("values_explain", plan={"id": "p", "impacts": impacts}))) < 40_000
