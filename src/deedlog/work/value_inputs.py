"""What operations on values take and answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.errors import NotFound
from deedlog.core.knowledge import ValueSet
from deedlog.operation.define import Field
from deedlog.ports import Context
from deedlog.work.values import valued

MOST_IMPACTS = 64


class Impact(TypedDict):
    value: Annotated[str, Field("A value's id", min_length=1, max_length=120)]
    impact: NotRequired[Annotated[Literal["support", "risk"], Field("risk if left out")]]
    severity: NotRequired[Annotated[float, Field("0 to 1; 1 if left out", minimum=0, maximum=1)]]
    rationale: NotRequired[Annotated[str, Field("Why", min_length=1, max_length=240)]]
    source: NotRequired[Annotated[str, Field("Who says so", min_length=1, max_length=240)]]
    nodeId: NotRequired[Annotated[str, Field("The node that does it", min_length=1, max_length=120)]]


class Correlation(TypedDict):
    run_id: NotRequired[str]
    op_id: NotRequired[str]
    job_id: NotRequired[str]
    graph_id: NotRequired[str]
    node_id: NotRequired[str]
    child_id: NotRequired[str]


PlanId = Annotated[str, Field("What you call the plan", min_length=1, max_length=200)]
Label = Annotated[str | None, Field("Its name", max_length=200)]
Impacts = Annotated[list[Impact], Field("1 to 64 effects on values", max_items=MOST_IMPACTS)]
Threshold = Annotated[float | None, Field("Least score; the project's if left out", minimum=0, maximum=1)]
Correlated = Annotated[Correlation | None, Field("Told back")]


class Judged(TypedDict):
    score: float
    total: float
    breakdown: list[dict[str, Any]]
    violations: list[dict[str, Any]]
    allowed: bool
    threshold: float


def needed(ctx: Context) -> ValueSet:
    found = valued(ctx)
    if found is None:
        raise NotFound("no values are set in this project", hint="values_set sets them")
    return found


def filled(impacts: list[Impact]) -> list[dict[str, Any]]:
    return [{"impact": "risk", **impact} for impact in impacts]
