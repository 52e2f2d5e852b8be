from __future__ import annotations

import pytest

from tests.ops.values.conftest import PRIVACY, Call


@pytest.mark.proves("values:explain")
def test_an_explanation_says_why_where_and_what_to_do(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    impacts = [{"value": "privacy", "severity": 0.9, "rationale": "logs e-mails", "nodeId": "collect"}]
    explained = call("values_explain", plan={"id": "p", "impacts": impacts, "correlation": {"run_id": "run-1"}})
    assert explained["decision"]["allowed"] is False
    (violation,) = explained["violations"]
    assert (violation["nodeId"], violation["nodeLabel"], violation["valueLabel"]) == ("collect", None, "Privacy")
    assert violation["primaryContributor"]["impact"]["rationale"] == "logs e-mails"
    assert "logs e-mails" in violation["hint"]
    assert explained["correlation"] == {"run_id": "run-1"}


@pytest.mark.proves("values:explain")
def test_the_label_of_a_node_is_that_of_its_graph(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    call("graph_create", graph_id="g", name="G", nodes=[{"id": "collect", "label": "Collect logs"}], edges=[])
    impacts = [{"value": "privacy", "nodeId": "collect"}]
    for plan in ({"id": "g"}, {"id": "p", "correlation": {"graph_id": "g"}}):
        (violation,) = call("values_explain", plan={**plan, "impacts": impacts})["violations"]
        assert violation["nodeLabel"] == "Collect logs"


def test_an_impact_is_taken_in_either_spelling(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    explained = call("values_explain", plan={"id": "p", "impacts": [{"value": "privacy", "node_id": "collect"}]})
    assert explained["violations"][0]["nodeId"] == "collect"


def test_the_largest_answer_stays_readable(call: Call) -> None:
    names = [f"value-{number:03}" + "x" * 100 for number in range(128)]
    edges = [{"from": names[0], "to": name} for name in names[1:]]
    call("values_set", values=[{"id": name, "tolerance": 0} for name in names], relationships=edges)
    impacts = [{"value": names[0], "rationale": "r" * 240}] * 64
    for arguments in ({"id": "p", "impacts": impacts},):
        assert len(str(call("values_filter", **arguments))) < 40_000
    assert len(str(call("values_explain", plan={"id": "p", "impacts": impacts}))) < 40_000
