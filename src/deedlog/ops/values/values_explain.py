from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.valuing import explained, judged
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.value_inputs import Correlation, Impacts, Judged, PlanId, filled, needed

HALF = page.MOST_CHARACTERS // 2


class Plan(TypedDict):
    id: PlanId
    label: NotRequired[Annotated[str, Field("Its name", max_length=200)]]
    impacts: Impacts
    threshold: NotRequired[Annotated[float, Field("Least score", minimum=0, maximum=1)]]
    correlation: NotRequired[Annotated[Correlation, Field("Told back")]]


class Explained(TypedDict):
    decision: Judged
    violations: list[dict[str, Any]]
    plan_id: str
    correlation: NotRequired[dict[str, Any]]


@operation(
    Effect.READ,
    capability="values-explain",
    callers=ANYONE,
    examples=("""deedlog values explain '{"id": "p", "impacts": [{"value": "privacy"}]}'""",),
)
def values_explain(ctx: Context, *, plan: Annotated[Plan, Field("The plan")]) -> Explained:
    """Why the values allow a plan or do not: each violation, what adds most to it, what to do.

    Labels of nodes come from the graph that correlation names (graph_id or job_id), else from one called as the plan.
    """
    if not plan["impacts"]:
        raise Invalid("plan.impacts: must not be empty", data={"field": "plan.impacts"})
    values = needed(ctx)
    decision = judged(values, filled(plan["impacts"]), plan.get("threshold"))
    answer: Explained = {
        "decision": page.condensed(decision.fields(), HALF),  # type: ignore[typeddict-item]
        "violations": page.condensed(explained(values, decision, _nodes(ctx, plan)), HALF),
        "plan_id": plan["id"],
    }
    if correlation := plan.get("correlation"):
        answer["correlation"] = dict(correlation)
    return answer


def _nodes(ctx: Context, plan: Plan) -> dict[str, str]:
    """The labels of the plan's nodes, as its graph has them."""
    from deedlog.work import graphs  # most plans are in no graph

    about = plan.get("correlation", {})
    graph_id = about.get("graph_id") or about.get("job_id") or plan["id"]
    if not graphs.is_there(ctx, graph_id):
        return {}
    return {node["id"]: node.get("label") or node["id"] for node in graphs.read(ctx, graph_id).graph["nodes"]}
