"""Whether what several children came to is enough, and what it adds up to."""

from __future__ import annotations

import json

from deedlog.core.consensus import MODES, NULL, TIES, vote
from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Json = dict[str, Any]
    Answers = Sequence[tuple[str, str]]  # a child and its answer

ALL, FIRST, QUORUM = "all", "first_success", "quorum"
SUCCESS, ERROR, RUNNING = "success", "error", "running"
CONCAT, MERGE_JSON, VOTE, CUSTOM = "concat", "merge_json", "vote", "custom"


def needed(policy: str, children: int, quorum: int | None) -> int:
    """How many children must succeed."""
    if quorum is not None and policy != QUORUM:
        raise Invalid(
            "quorum_count: only a join by quorum has one", hint="join_policy quorum", data={"field": "quorum_count"}
        )
    if quorum is not None and quorum > children:
        raise Invalid(
            f"quorum_count: {quorum} of {children} children can never succeed",
            hint="give as many children, or a smaller quorum",
            data={"field": "quorum_count"},
        )
    if policy == QUORUM:
        return quorum or children // 2 + 1
    return children if policy == ALL else 1


def decided(states: Sequence[str], enough: int, *, all_of_them: bool) -> bool:
    """Whether nothing that still runs could change the outcome; a join of all waits for all."""
    running, done = states.count(RUNNING), states.count(SUCCESS)
    if not running:
        return True
    return not all_of_them and (done >= enough or done + running < enough)


def counted(votes: Answers, how: Mapping[str, Any] | None) -> Json:
    """A vote by the rules that were given as `{mode, quorum, weights, tie_breaker, prefer_value}`."""
    said = dict(how or {})
    mode, tie = said.pop("mode", MODES[0]), said.pop("tie_breaker", NULL)
    quorum, weights, prefer = (said.pop(name, None) for name in ("quorum", "weights", "prefer_value"))
    if said or mode not in MODES or tie not in TIES or not _are_weights(weights) or not _is_amount(quorum):
        raise Invalid(
            "consensus: is {mode, quorum, weights, tie_breaker, prefer_value}",
            hint=f"mode: {', '.join(MODES)}; tie_breaker: {', '.join(TIES)}; weights: a number for each child",
            data={"field": "consensus"},
        )
    return vote(votes, mode=mode, quorum=quorum, weights=weights, tie=tie, prefer=prefer)


def _are_weights(given: object) -> bool:
    return given is None or (isinstance(given, dict) and all(w is not None and _is_amount(w) for w in given.values()))


def _is_amount(given: object) -> bool:
    return given is None or (isinstance(given, int | float) and not isinstance(given, bool) and given >= 0)


def reduced(reducer: str, answers: Answers, spec: Mapping[str, Any]) -> tuple[Any, Json]:
    """The answers in one, and what there is to tell about how; `custom` picks the answer of one child."""
    if reducer == CONCAT:
        return str(spec.get("separator", "\n\n")).join(text for _, text in answers if text), {}
    if reducer == MERGE_JSON:
        return _merged(answers)
    if reducer == VOTE:
        result = counted([(child, text) for child, text in answers if text], spec.get("consensus"))
        return result["outcome"], result
    picked = str(spec.get("pick_child_id", ""))
    found = dict(answers)
    if not found:
        raise Invalid("no child succeeded: there is nothing to pick", hint="plan_join tells why each of them ended")
    if picked not in found:
        raise Invalid(
            "spec: a custom reduction picks one child: pick_child_id names none of them",
            hint=f"one of: {', '.join([*found][:10])}; to compute something else read the answers and do it yourself",
            data={"field": "spec"},
        )
    return found[picked], {"pick_child_id": picked}


def _merged(answers: Answers) -> tuple[Json, Json]:
    """One object of all; where two have the same key the later child wins, which is told."""
    merged: Json = {}
    errors: Json = {}
    replaced: Json = {}
    for child, text in answers:
        found = json_in(text)
        if found is None:
            errors[child] = "its answer is no JSON object"
            continue
        replaced |= {name: child for name in found if name in merged and merged[name] != found[name]}
        merged |= found
    told = {"errors": errors} if errors else {}
    return merged, told | ({"replaced_by": replaced} if replaced else {})


def json_in(text: str) -> Json | None:
    """The JSON object that a text is, or that its last line is which is one."""
    for part in (text, *reversed(text.splitlines())):
        try:
            found = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None
