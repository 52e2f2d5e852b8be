from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.task import Task
from deedlog.core.words import query_words
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.decision_rows import DecisionRow, Sought, decisions
from deedlog.work.records import recorded


class Listed(TypedDict):
    decisions: list[DecisionRow]
    next_cursor: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    people=True,
    columns=("id", "status", "chosen", "category", "origin", "created_at", "task_id", "title"),
    examples=(
        "deedlog decision list",
        "deedlog decision list --candidates",
        "deedlog decision list --origin task --task-id task-5",
        "deedlog decision list --category Database --text drizzle",
    ),
)
def decision_list(
    ctx: Context,
    *,
    origin: Annotated[
        Literal["clarification", "promotion", "history", "task"] | None,
        Field("clarification, promotion and history are ADRs; task: logged, without an ADR here"),
    ] = None,
    category: Annotated[
        str | None, Field("An area of the architecture, or the category it was logged as", max_length=80)
    ] = None,
    text: Annotated[str | None, Field("Words it must have", max_length=200)] = None,
    task_id: Annotated[str | None, Field("Only those of this task", max_length=80)] = None,
    candidates: Annotated[bool, Field("Only logged ones that deserve an ADR")] = False,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 20,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=800)] = None,
) -> Listed:
    """List all decisions, newest first: ADRs of this work tree, and what was logged on tasks."""
    of_task = ctx.ledger.get(Task, task_id).id if task_id else ""
    sought = Sought(
        origin=origin or "",
        category=category or "",
        words=query_words(text or ""),
        task_id=of_task,
        candidates=candidates,
    )
    records = recorded(ctx)
    found = decisions(ctx, records, sought, page.opened(cursor), limit + 1)
    rows = page.fitting([one.row for one in found[:limit]])
    answer: Listed = {"decisions": rows}
    if len(rows) < len(found):
        answer["next_cursor"] = page.cursor(found[len(rows) - 1].key)
    if records.problem:
        answer["warnings"] = [records.problem]
    return answer
