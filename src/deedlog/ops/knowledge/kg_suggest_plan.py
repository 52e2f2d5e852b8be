from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.suggesting import suggested
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.planning import known_plans

MOST_FRAGMENTS = 5


class Wishes(TypedDict):
    preferred_sources: NotRequired[Annotated[list[str], Field("Come first, e.g. workflow:wf-…", max_items=16)]]
    exclude_tasks: NotRequired[Annotated[list[str], Field("Left out", max_items=256)]]
    max_fragments: NotRequired[Annotated[int, Field("3 if left out", minimum=1, maximum=MOST_FRAGMENTS)]]


class Suggested(TypedDict):
    goal: str
    fragments: list[dict[str, Any]]
    rationale: list[str]
    coverage: dict[str, Any]
    sources: list[dict[str, Any]]
    preferred_sources_applied: list[str]
    preferred_sources_ignored: list[str]


@operation(
    Effect.READ, capability="assist", callers=ANYONE, examples=("deedlog kg suggest-plan 'Add login with passkeys'",)
)
def kg_suggest_plan(
    ctx: Context,
    *,
    goal: Annotated[str, Field("What shall be reached", min_length=1, max_length=500)],
    context: Annotated[Wishes | None, Field("What is preferred and left out")] = None,
) -> Suggested:
    """Suggest plans from work that was finished for a goal like this one.

    graph_create makes a graph of a fragment's nodes and edges; plan_run with its graph_id runs that.
    """
    wishes = context or {}
    preferred = [*dict.fromkeys(source.strip() for source in wishes.get("preferred_sources", []) if source.strip())]
    excluded = wishes.get("exclude_tasks", [])
    answer = suggested(goal.strip(), known_plans(ctx, goal), preferred, excluded, wishes.get("max_fragments", 3))
    kept = page.fitting(answer["fragments"], room=page.MOST_CHARACTERS - 6_000)
    if len(kept) < len(answer["fragments"]):
        answer["rationale"].append(f"Only {len(kept)} of the fragments fit into the answer.")
    rest = page.condensed({name: part for name, part in answer.items() if name != "fragments"}, 6_000)
    return {**rest, "fragments": kept}  # type: ignore[typeddict-item]
