from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.joining import RUNNING, SUCCESS, reduced
from deedlog.core.page import MOST_CHARACTERS, condensed, size
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_answers import answer_of
from deedlog.work.plan_children import Child, ChildIds, chosen

Json = dict[str, Any]
MOST_SUMMARY = 200


class Reduced(TypedDict):
    reducer: str
    aggregate: Any
    trace: Json


@operation(
    Effect.READ,
    capability="plans",
    callers=ANYONE,
    settles=True,
    further=True,
    examples=("deedlog plan reduce vote --run-id run-1j9x2k3m4n5p6q7r",),
)
def plan_reduce(
    ctx: Context,
    *,
    reducer: Annotated[Literal["concat", "merge_json", "vote", "custom"], Field("How; custom picks one child")],
    children: ChildIds = None,
    run_id: Annotated[str | None, Field("Or all of a run", max_length=80)] = None,
    spec: Annotated[Json | None, Field("separator; consensus (as plan_join has it); pick_child_id")] = None,
) -> Reduced:
    """Combine what children answered, their summary or else what they printed: joined, merged, or by vote.

    Only those that succeeded count; it is refused while one still runs (plan_join waits).
    """
    found = chosen(ctx, children or [], run_id)
    _refuse_running(found)
    good = [child for child in found if child.state == SUCCESS and child.session]
    answers = [(child.called, answer_of(ctx, child.session)) for child in good if child.session]
    aggregate, details = reduced(reducer, answers, _with_child_id(spec or {}, good))
    trace: Json = {"per_child": [child.row(ctx, MOST_SUMMARY) for child in found]}
    if details:
        trace["details"] = details
    room = max(2_000, MOST_CHARACTERS - size(aggregate))
    return {"reducer": reducer, "aggregate": condensed(aggregate), "trace": condensed(trace, room)}


def _with_child_id(spec: Json, found: list[Child]) -> Json:
    """The child to pick, by the id that answers have, whichever of its names was given."""
    picked = spec.get("pick_child_id")
    named = [child.called for child in found if picked in (child.id, child.task, child.called)]
    return {**spec, "pick_child_id": named[0]} if named else spec


def _refuse_running(found: list[Child]) -> None:
    if running := [child.called for child in found if child.state == RUNNING]:
        raise Conflict(
            f"{len(running)} of {len(found)} children still run",
            hint="plan_join waits for them",
            data={"children": running[:50]},
        )
