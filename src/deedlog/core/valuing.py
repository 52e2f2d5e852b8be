"""How well a plan fits what the project values."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from deedlog.core.knowledge import ValueSet

    Json = dict[str, Any]

SUPPORT, RISK = "support", "risk"
CONFLICTS = "conflicts"
FLIPPED = {SUPPORT: RISK, RISK: SUPPORT}
DIGITS = 6
ROUNDING = 1e-6  # a sum of decimal fractions may be that much beyond the tolerance it equals


class Decision(Value):
    """`allowed` where the score reaches the threshold and no value is violated. `total` is the weight of all values."""

    score: float
    total: float
    breakdown: list[dict[str, Any]]
    violations: list[dict[str, Any]]
    allowed: bool
    threshold: float


def judged(valueset: ValueSet, impacts: Sequence[Json], threshold: float | None = None) -> Decision:
    """Weigh what a plan does for and against each value, directly and through the values next to it.

    An impact counts the weight of its value times its severity. What a value supports is moved the same way, by the
    weight of the relationship, and what it conflicts with the other way; it goes no further than that.
    """
    least = valueset.default_threshold if threshold is None else threshold
    parts, unknown = _contributions(valueset, impacts)
    breakdown = [_balance(value, parts[value["id"]]) for value in valueset.values]
    violations = [
        _violation(value, balance, parts[value["id"]])
        for value, balance in zip(valueset.values, breakdown, strict=True)
        if _ratio(balance) > value["tolerance"] + ROUNDING
    ]
    violations += [_undeclared(impact) for impact in unknown]
    total = sum(value["weight"] for value in valueset.values)
    kept = sum(balance["weight"] * balance["satisfaction"] for balance in breakdown)
    score = min(1.0, max(0.0, kept / total)) if total else 1.0
    return Decision(
        score=round(score, DIGITS),
        total=round(total, DIGITS),
        breakdown=[_rounded(balance) for balance in breakdown],
        violations=violations,
        allowed=score >= least - ROUNDING and not violations,
        threshold=least,
    )


def _contributions(valueset: ValueSet, impacts: Sequence[Json]) -> tuple[dict[str, list[Json]], list[Json]]:
    """What adds up for each value, and the impacts on values there are not."""
    parts: dict[str, list[Json]] = {value["id"]: [] for value in valueset.values}
    weights = {value["id"]: value["weight"] for value in valueset.values}
    unknown = []
    for impact in map(_plain, impacts):
        hit = impact["value"]
        if hit not in parts:
            unknown.append(impact)
            continue
        amount = weights[hit] * impact["severity"]
        parts[hit].append({"impact": impact, "amount": amount, "type": impact["impact"], "propagated": False})
        for edge in valueset.relationships:
            if edge["from"] == hit:
                parts[edge["to"]].append(_carried(impact, edge, amount))
    return parts, unknown


def _carried(impact: Json, edge: Json, amount: float) -> Json:
    kind = FLIPPED[impact["impact"]] if edge["kind"] == CONFLICTS else impact["impact"]
    how = {"propagated": True, "via": edge["kind"], "from": edge["from"]}
    return {"impact": impact, "amount": amount * edge["weight"], "type": kind, **how}


def _plain(impact: Json) -> Json:
    """An impact as it is told: with its kind and severity, and its node in the one spelling."""
    severity = impact.get("severity")
    kind = impact.get("impact") or RISK
    told = {"value": impact["value"], "impact": kind, "severity": 1.0 if severity is None else severity}
    told |= {name: impact[name] for name in ("rationale", "source") if impact.get(name)}
    node = impact.get("node_id") or impact.get("nodeId")
    return told | ({"nodeId": node} if node else {})


def _balance(value: Json, parts: list[Json]) -> Json:
    support = sum(part["amount"] for part in parts if part["type"] == SUPPORT)
    risk = sum(part["amount"] for part in parts if part["type"] == RISK)
    residual = max(0.0, risk - support)
    balance = {"value": value["id"], "weight": value["weight"], "support": support, "risk": risk, "residual": residual}
    return balance | {"satisfaction": 1.0 - min(1.0, _ratio(balance))}


def _ratio(balance: Json) -> float:
    """The risk that is left, in parts of the value's weight; what weighs nothing is never at risk."""
    weight: float = balance["weight"]
    return float(balance["residual"] / weight) if weight else 0.0


def _violation(value: Json, balance: Json, parts: list[Json]) -> Json:
    ratio, tolerance = _ratio(balance), value["tolerance"]
    return {
        "value": value["id"],
        "severity": round(ratio, DIGITS),
        "tolerance": tolerance,
        "message": f"residual risk {ratio:.2f} exceeds tolerance {tolerance:.2f}",
        "contributors": [_rounded(part) for part in parts],
    }


def _undeclared(impact: Json) -> Json:
    return {
        "value": impact["value"],
        "severity": 1.0,
        "tolerance": 0.0,
        "message": "no such value is declared",
        "contributors": [{"impact": impact, "amount": 1.0, "type": RISK, "propagated": False}],
    }


def _rounded(told: Json) -> Json:
    return {name: round(part, DIGITS) if isinstance(part, float) else part for name, part in told.items()}


def explained(valueset: ValueSet, decision: Decision, nodes: Mapping[str, str] | None = None) -> list[Json]:
    """The violations, each with what adds most to it, where in the plan that is, and what to do.

    `nodes` are the labels of the plan's nodes, where they are known.
    """
    labels = {value["id"]: value.get("label") for value in valueset.values}
    return [_insight(violation, labels, nodes or {}) for violation in decision.violations]


def _insight(violation: Json, labels: dict[str, str | None], nodes: Mapping[str, str]) -> Json:
    risks = [part for part in violation["contributors"] if part["type"] == RISK]
    most = max(risks, key=lambda part: part["amount"], default=None)
    node = most["impact"].get("nodeId") if most else None
    return {
        **violation,
        "valueLabel": labels.get(violation["value"]) or None,
        "nodeId": node,
        "nodeLabel": nodes.get(node) if node else None,
        "hint": _hint(violation, most, declared=violation["value"] in labels),
        "primaryContributor": most,
    }


def _hint(violation: Json, most: Json | None, *, declared: bool) -> str:
    value = violation["value"]
    if not declared:
        return f"Declare the value {value!r} with values_set, or take the impact on it out of the plan."
    risk = f"Risk {violation['severity']:.0%} exceeds the tolerance {violation['tolerance']:.0%} of {value!r}"
    if most is None:
        return f"{risk}."
    impact = most["impact"]
    where = f"node {impact['nodeId']!r}" if impact.get("nodeId") else "the plan"
    way = f", which {most['via']} it," if most["propagated"] else ""
    cause = f"mostly from a {impact['impact']} of {impact['value']!r}{way} in {where}"
    reason = impact.get("rationale") or impact.get("source")
    return f"{risk}, {cause}{f': {reason}' if reason else ''}. Reduce it, or add what supports {value!r}."
