from __future__ import annotations

from typing import TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.valuing import judged
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.value_inputs import Impacts, Judged, Label, PlanId, filled, needed


class Scored(TypedDict):
    decision: Judged


@operation(
    Effect.READ,
    capability="value-guard",
    callers=ANYONE,
    examples=("""deedlog values score plan-1 '[{"value": "privacy", "severity": 0.5}]'""",),
)
def values_score(
    ctx: Context,
    *,
    id: PlanId,  # noqa: A002, ARG001  # as the protocol has it
    impacts: Impacts,
    label: Label = None,  # noqa: ARG001
) -> Scored:
    """Score a plan by its effects on what the project values: 1 is all well, 0 all at risk."""
    if not impacts:
        raise Invalid("impacts: must not be empty", data={"field": "impacts"})
    decision = judged(needed(ctx), filled(impacts))
    return {"decision": page.condensed(decision.fields())}  # type: ignore[typeddict-item]
