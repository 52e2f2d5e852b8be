"""Votes: who is ahead, and whether that is enough."""

from __future__ import annotations

from math import floor

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MAJORITY, QUORUM, WEIGHTED = "majority", "quorum", "weighted"
MODES = (MAJORITY, QUORUM, WEIGHTED)
NULL, FIRST, PREFER = "null", "first", "prefer"
TIES = (NULL, FIRST, PREFER)


def vote(
    ballots: Sequence[tuple[str, str]],
    *,
    mode: str = MAJORITY,
    quorum: float | None = None,
    weights: Mapping[str, float] | None = None,
    tie: str = NULL,
    prefer: str | None = None,
) -> dict[str, Any]:
    """What `ballots`, pairs of a voter and what it votes for, come to. A voter weighs 1 unless `weights` says else.

    The option ahead wins with more than half of the weight, floor(w/2) + 1, or with the `quorum` where one is given.
    Of options that are equally far ahead the rule for a `tie` picks one: the first that was voted for, or the one to
    `prefer`. That one wins without a majority, which none of them can have; a quorum it needs like any other.
    `leading` is the option ahead, whether or not it wins; `satisfied` tells whether it has what is needed.
    """
    if mode == QUORUM and quorum is None:
        raise Invalid("quorum: is required for a vote by quorum", hint="say how much weight an option needs")
    tally = _tally(ballots, weights or {})
    total = sum(tally.values())
    leading, tied = _leading(tally, tie, prefer)
    has_quorum = quorum is not None and mode != MAJORITY
    needed = quorum if quorum is not None and has_quorum else floor(total / 2) + 1
    satisfied = leading is not None and tally[leading] >= needed
    wins = satisfied or (tied and not has_quorum)
    return {
        "mode": mode,
        "outcome": leading if wins else None,
        "satisfied": satisfied,
        "leading": leading,
        "tie": tied,
        "threshold": needed,
        "total_weight": total,
        "tally": tally,
        "votes": len(ballots),
    }


def _tally(ballots: Sequence[tuple[str, str]], weights: Mapping[str, float]) -> dict[str, float]:
    """The weight of each option, in the order they were first voted for."""
    tally: dict[str, float] = {}
    voters = set()
    for voter, option in ballots:
        if voter in voters:
            raise Invalid("votes: a voter votes twice", hint="one vote each; weights make one count more")
        voters.add(voter)
        tally[option] = tally.get(option, 0) + weights.get(voter, 1)
    return tally


def _leading(tally: Mapping[str, float], tie: str, prefer: str | None) -> tuple[str | None, bool]:
    """The option ahead, and whether several are; None where no rule tells which of them it is."""
    most = max(tally.values(), default=0)
    ahead = [option for option, weight in tally.items() if weight == most]
    tied = len(ahead) > 1
    if ahead and (not tied or tie == FIRST):
        return ahead[0], tied
    if tie == PREFER and prefer in ahead:
        return prefer, tied
    return None, tied
