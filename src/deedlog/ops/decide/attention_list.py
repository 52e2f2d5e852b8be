from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.attention import Waiting, numbers, of_workflow, others, reviews
from deedlog.work.attention_rows import Item, Rows

Kind = Literal[
    "review",
    "question",
    "permission",
    "memory",
    "scope",
    "checks",
    "conflict",
    "worker_failed",
    "budget",
    "changes_unknown",
    "clarification",
    "lease",
    "merge",
    "trust",
]


class Listed(TypedDict):
    items: list[Item]
    counts: dict[str, int]
    total: int
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    people=True,
    alias="attention",
    settles=True,
    columns=("kind", "task_id", "question", "waiting_seconds", "actions", "id"),
    brief=True,
    whole="question",
    examples=("deedlog attention", "deedlog attention --kind scope"),
)
def attention_list(
    ctx: Context,
    *,
    kind: Annotated[Kind | None, Field("Only what waits for this reason")] = None,
    workflow_id: Annotated[str | None, Field("Only what is part of this workflow", max_length=80)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 50,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List everything that needs a person, the longest waiting first, with what can be done about it.

    Reviews and issues, questions and requests of agents, drafts of memory, work outside its scope, failed checks,
    conflicts, failed workers, work to be merged, questions of clarifications, claims that lapsed, and settings of the
    repository that no person approved yet. counts and total are of all kinds.
    """
    workflow = ctx.ledger.get(Workflow, workflow_id).id if workflow_id else ""
    after = page.opened(cursor)
    rest = of_workflow(others(ctx), workflow)
    chosen = [one for one in rest if kind in (None, one.kind) and (after is None or one.key > after)]
    found = sorted([*reviews(ctx, kind, workflow, after, limit + 1), *chosen], key=_key)[: limit + 1]
    counts = numbers(ctx, workflow, rest)
    made = Rows(ctx)
    rows = page.fitting(made.row(one) for one in found[:limit])
    answer: Listed = {"items": rows, "counts": counts, "total": sum(counts.values())}
    if len(rows) < len(found):
        answer["next_cursor"] = page.cursor(found[len(rows) - 1].key)
    return answer


def _key(one: Waiting) -> page.Key:
    return one.key
