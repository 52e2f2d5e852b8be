from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.consensus import vote
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

MOST = 1_000


class Ballot(TypedDict):
    voter: Annotated[str, Field("Who votes", min_length=1, max_length=200)]
    value: Annotated[str, Field("What for", min_length=1, max_length=500)]


class Rule(TypedDict):
    mode: NotRequired[Annotated[Literal["majority", "quorum", "weighted"], Field("majority if left out")]]
    quorum: NotRequired[Annotated[float, Field("Weight an option needs", minimum=0)]]
    weights: NotRequired[Annotated[dict[str, Any], Field("Weight by voter; 1 for the others")]]
    tie_breaker: NotRequired[Annotated[Literal["null", "first", "prefer"], Field("null if left out")]]
    prefer_value: NotRequired[Annotated[str, Field("Wins a tie with tie_breaker prefer", max_length=500)]]


class Decided(TypedDict):
    mode: str
    outcome: str | None
    satisfied: bool
    leading: str | None
    tie: bool
    threshold: float
    total_weight: float
    tally: dict[str, float]
    votes: int


@operation(
    Effect.READ,
    capability="consensus",
    callers=ANYONE,
    examples=("""deedlog consensus vote '[{"voter": "ann", "value": "ship"}]'""",),
)
def consensus_vote(
    ctx: Context,  # noqa: ARG001  # it is decided from what is given
    *,
    votes: Annotated[list[Ballot], Field("One of each voter", max_items=MOST)],
    config: Annotated[Rule | None, Field("How it is decided")] = None,
) -> Decided:
    """Decide by majority, quorum or weight; without enough votes there is no outcome.

    In a tie tie_breaker picks among those ahead; without one there is no outcome.
    """
    rule = config or {}
    weights = rule.get("weights") or {}
    if any(
        isinstance(weight, bool) or not isinstance(weight, int | float) or weight < 0 for weight in weights.values()
    ):
        raise Invalid("config.weights: must be numbers from 0 on", data={"field": "config.weights"})
    return vote(  # type: ignore[return-value]
        [(ballot["voter"], ballot["value"]) for ballot in votes],
        mode=rule.get("mode", "majority"),
        quorum=rule.get("quorum"),
        weights=weights,
        tie=rule.get("tie_breaker", "null"),
        prefer=rule.get("prefer_value"),
    )
