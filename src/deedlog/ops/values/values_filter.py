from __future__ import annotations

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.valuing import judged
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.value_inputs import Impacts, Judged, Label, PlanId, Threshold, filled, needed


@operation(
    Effect.READ,
    capability="value-guard",
    callers=ANYONE,
    examples=("""deedlog values filter plan-1 '[{"value": "privacy", "severity": 0.5}]'""",),
)
def values_filter(
    ctx: Context,
    *,
    id: PlanId,  # noqa: A002, ARG001  # as the protocol has it
    impacts: Impacts,
    label: Label = None,  # noqa: ARG001
    threshold: Threshold = None,
) -> Judged:
    """Whether the values allow a plan: its score is high enough, and none of them is violated."""
    if not impacts:
        raise Invalid("impacts: must not be empty", data={"field": "impacts"})
    return page.condensed(judged(needed(ctx), filled(impacts), threshold).fields())  # type: ignore[return-value]
