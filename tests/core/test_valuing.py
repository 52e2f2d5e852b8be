from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.knowledge import ValueSet
from deedlog.core.valuing import explained, judged

NAMES = ("privacy", "speed", "cost", "safety")


def declared(
    *values: dict[str, Any], relationships: tuple[dict[str, Any], ...] = (), threshold: float = 0.6
) -> ValueSet:
    full = [{"label": "", "description": "", "weight": 1.0, "tolerance": 0.35, **value} for value in values]
    return ValueSet(
        id="values", values=full, relationships=list(relationships), default_threshold=threshold, created_at=0
    )


def risk(value: str, severity: float | None = None, **more: Any) -> dict[str, Any]:
    return {"value": value, "impact": "risk", "severity": severity, **more}


def support(value: str, severity: float | None = None) -> dict[str, Any]:
    return {"value": value, "impact": "support", "severity": severity}


def related(start: str, end: str, kind: str, weight: float = 0.5) -> dict[str, Any]:
    return {"from": start, "to": end, "kind": kind, "weight": weight}


def test_a_plan_that_touches_no_value_is_allowed_with_a_full_score() -> None:
    decision = judged(declared({"id": "privacy"}), [])
    assert (decision.score, decision.allowed, decision.violations) == (1.0, True, [])
    assert decision.breakdown == [
        {"value": "privacy", "weight": 1.0, "support": 0, "risk": 0, "residual": 0.0, "satisfaction": 1.0}
    ]


def test_the_score_is_the_mean_of_satisfactions_by_weight() -> None:
    decision = judged(
        declared({"id": "privacy", "weight": 3.0, "tolerance": 1.0}, {"id": "speed"}), [risk("privacy", 0.5)]
    )
    assert decision.score == round((3 * 0.5 + 1) / 4, 6)
    assert decision.total == 4.0


def test_an_impact_without_a_severity_counts_the_whole_weight_of_its_value() -> None:
    decision = judged(declared({"id": "privacy", "weight": 2.0}), [risk("privacy")])
    assert (decision.breakdown[0]["risk"], decision.breakdown[0]["satisfaction"]) == (2.0, 0.0)


def test_support_takes_risk_away_but_never_more_than_there_is() -> None:
    decision = judged(declared({"id": "privacy"}), [risk("privacy", 0.6), support("privacy", 0.4)])
    assert decision.breakdown[0]["residual"] == 0.2
    assert judged(declared({"id": "privacy"}), [support("privacy")]).score == 1.0


def test_a_risk_at_the_tolerance_is_no_violation_and_one_beyond_it_is() -> None:
    values = declared({"id": "privacy", "tolerance": 0.3})
    assert judged(values, [risk("privacy", 0.1), risk("privacy", 0.2)]).violations == []
    (violation,) = judged(values, [risk("privacy", 0.31)]).violations
    assert (violation["value"], violation["severity"], violation["tolerance"]) == ("privacy", 0.31, 0.3)


def test_a_violation_forbids_a_plan_whose_score_would_do() -> None:
    many = declared({"id": "privacy"}, *({"id": f"other-{number}"} for number in range(9)))
    decision = judged(many, [risk("privacy")])
    assert (decision.score, decision.allowed) == (0.9, False)


def test_a_score_below_the_threshold_forbids_a_plan_without_violations() -> None:
    values = declared({"id": "privacy", "tolerance": 1.0})
    assert not judged(values, [risk("privacy", 0.5)]).allowed
    assert judged(values, [risk("privacy", 0.5)], 0.5).allowed


def test_what_a_value_supports_is_at_risk_with_it_and_what_it_conflicts_with_is_helped() -> None:
    values = declared(
        {"id": "privacy"},
        {"id": "trust"},
        {"id": "speed"},
        relationships=(related("privacy", "trust", "supports"), related("privacy", "speed", "conflicts", 0.25)),
    )
    sums = {row["value"]: (row["support"], row["risk"]) for row in judged(values, [risk("privacy", 0.8)]).breakdown}
    assert sums == {"privacy": (0, 0.8), "trust": (0, 0.4), "speed": (0.2, 0)}
    helped = {
        row["value"]: (row["support"], row["risk"]) for row in judged(values, [support("privacy", 0.8)]).breakdown
    }
    assert helped == {"privacy": (0.8, 0), "trust": (0.4, 0), "speed": (0, 0.2)}


def test_an_impact_is_carried_one_step_so_that_circles_end() -> None:
    circle = (related("privacy", "speed", "supports", 1.0), related("speed", "privacy", "supports", 1.0))
    values = declared({"id": "privacy"}, {"id": "speed"}, relationships=circle)
    assert [row["risk"] for row in judged(values, [risk("privacy", 0.2)]).breakdown] == [0.2, 0.2]


def test_an_impact_on_a_value_nobody_declared_is_a_violation_of_severity_one() -> None:
    values = declared({"id": "privacy"})
    decision = judged(values, [support("privcy")])
    (violation,) = decision.violations
    assert (violation["value"], violation["severity"], violation["tolerance"]) == ("privcy", 1.0, 0.0)
    assert (decision.score, decision.allowed) == (1.0, False)
    assert "Declare the value 'privcy'" in explained(values, decision)[0]["hint"]


def test_an_explanation_names_what_adds_most_to_the_risk_and_where() -> None:
    values = declared(
        {"id": "privacy", "label": "Privacy"},
        {"id": "speed"},
        relationships=(related("speed", "privacy", "conflicts"),),
    )
    impacts = [support("speed", 0.4), risk("privacy", 0.7, rationale="keeps raw logs", node_id="collect")]
    (insight,) = explained(values, judged(values, impacts), {"collect": "Collect logs"})
    assert (insight["nodeId"], insight["nodeLabel"]) == ("collect", "Collect logs")
    assert (insight["value"], insight["valueLabel"]) == ("privacy", "Privacy")
    assert insight["primaryContributor"]["amount"] == 0.7
    assert "keeps raw logs" in insight["hint"]
    assert "node 'collect'" in insight["hint"]


def test_an_explanation_tells_of_a_risk_that_comes_from_a_value_next_to_it() -> None:
    values = declared(
        {"id": "speed"}, {"id": "privacy"}, relationships=(related("speed", "privacy", "conflicts", 1.0),)
    )
    (insight,) = explained(values, judged(values, [support("speed", 0.9)]))
    assert (insight["value"], insight["primaryContributor"]["via"]) == ("privacy", "conflicts")
    assert "from a support of 'speed', which conflicts it" in insight["hint"]
    assert insight["nodeId"] is None


def test_a_value_that_weighs_nothing_changes_nothing() -> None:
    decision = judged(declared({"id": "privacy", "weight": 0.0}), [risk("privacy")])
    assert (decision.score, decision.allowed) == (1.0, True)


shares = st.floats(0, 1)
an_impact = st.fixed_dictionaries(
    {"value": st.sampled_from(NAMES), "impact": st.sampled_from(["support", "risk"]), "severity": shares}
)
an_edge = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), shares).filter(lambda edge: edge[0] != edge[1])


def a_set(weights: list[float], edges: list[tuple[str, str, float]], kinds: list[str]) -> ValueSet:
    values = [{"id": name, "weight": weight} for name, weight in zip(NAMES, weights, strict=True)]
    told = (related(*edge[:2], kinds[place % len(kinds)], edge[2]) for place, edge in enumerate(edges))
    return declared(*values, relationships=tuple(told))


weights_of_all = st.lists(st.floats(0.01, 100), min_size=4, max_size=4)


@pytest.mark.proves("values:score")
@given(weights_of_all, st.lists(an_edge, max_size=8), st.lists(an_impact, max_size=12))
def test_a_score_is_between_nothing_and_one_whatever_the_impacts(
    weights: list[float], edges: list[tuple[str, str, float]], impacts: list[dict[str, Any]]
) -> None:
    decision = judged(a_set(weights, edges, ["supports", "conflicts"]), impacts)
    assert 0 <= decision.score <= 1
    assert all(0 <= row["satisfaction"] <= 1 for row in decision.breakdown)
    assert decision.allowed == (decision.score >= decision.threshold and not decision.violations)


@pytest.mark.proves("values:score")
@given(weights_of_all, st.lists(an_edge, max_size=8), st.lists(an_impact, max_size=12), st.sampled_from(NAMES), shares)
def test_more_risk_never_raises_a_score_unless_the_value_at_risk_is_in_conflict_with_another(
    weights: list[float],
    edges: list[tuple[str, str, float]],
    impacts: list[dict[str, Any]],
    value: str,
    severity: float,
) -> None:
    values = a_set(weights, edges, ["supports"])
    assert judged(values, [*impacts, risk(value, severity)]).score <= judged(values, impacts).score


@given(weights_of_all, st.lists(an_edge, max_size=8), st.lists(an_impact, max_size=12), st.sampled_from(NAMES), shares)
def test_more_risk_for_a_value_never_makes_that_value_fare_better(
    weights: list[float],
    edges: list[tuple[str, str, float]],
    impacts: list[dict[str, Any]],
    value: str,
    severity: float,
) -> None:
    values = a_set(weights, edges, ["supports", "conflicts"])
    place = NAMES.index(value)
    before, after = (judged(values, tried).breakdown[place] for tried in (impacts, [*impacts, risk(value, severity)]))
    assert after["satisfaction"] <= before["satisfaction"]
