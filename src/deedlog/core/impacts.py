"""Impacts on what a project values, as they are given: checked before anything rests on them."""

from __future__ import annotations

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

MOST_IMPACTS, MOST_TEXT = 128, 500
RISK, KINDS = "risk", ("support", "risk")
TEXTS = ("rationale", "source", "node_id", "nodeId")


def checked_impacts(given: Any, field: str) -> list[Json]:
    """The impacts with what they leave out: an impact is a risk of full severity unless it says otherwise."""
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MOST_IMPACTS:
        raise _wrong(field, f"is a list of at most {MOST_IMPACTS} impacts")
    return [_impact(impact, f"{field}[{place}]") for place, impact in enumerate(given)]


def _impact(impact: object, field: str) -> Json:
    if not isinstance(impact, dict) or not isinstance(impact.get("value"), str) or not impact["value"].strip():
        raise _wrong(field, "names the value it is about")
    kind, severity = impact.get("impact", RISK), impact.get("severity")
    if kind not in KINDS:
        raise _wrong(field, f"is one of {', '.join(KINDS)}")
    if severity is not None and not _is_share(severity):
        raise _wrong(field, "has a severity from 0 to 1")
    texts = {name: impact[name] for name in TEXTS if impact.get(name) is not None}
    if set(impact) - {"value", "impact", "severity", *TEXTS} or not all(_is_text(text) for text in texts.values()):
        raise _wrong(field, "has value, impact, severity, and rationale, source and node_id as short texts")
    return {
        "value": impact["value"],
        "impact": kind,
        **({"severity": severity} if severity is not None else {}),
        **texts,
    }


def _is_share(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= 1


def _is_text(text: object) -> bool:
    return isinstance(text, str) and len(text) <= MOST_TEXT


def _wrong(field: str, message: str) -> Invalid:
    hint = 'for example {"value": "privacy", "impact": "risk", "severity": 0.5}'
    return Invalid(f"{field}: {message}", hint=hint, data={"field": field})
