from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict, get_args

from deedlog.core import account, page
from deedlog.core.caller import ANYONE
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.evidence import so_far
from deedlog.work.lookup import session_meant
from deedlog.work.reading import changes_of

Whose = Literal["task", "subtask", "shared", "other", "arrived", "deedlog"]
WHOSE = get_args(Whose)


class Row(TypedDict):
    path: str
    status: str
    by: str
    added: NotRequired[int]
    deleted: NotRequired[int]
    scope: NotRequired[str]
    reason: NotRequired[str]
    renamed_from: NotRequired[str]
    renamed_to: NotRequired[str]
    tasks: NotRequired[list[str]]
    note: NotRequired[str]
    place: NotRequired[str]


class Listed(TypedDict):
    changes_unknown: NotRequired[bool]
    changes: list[Row]
    counts: NotRequired[dict[str, int]]
    whose: NotRequired[dict[str, int]]
    so_far: NotRequired[bool]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    waits=True,
    examples=("deedlog task changes task-5",),
)
def task_changes(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    session_id: Annotated[str | None, Field("Of this attempt only", max_length=80)] = None,
    by: Annotated[list[Whose] | None, Field("Only whose change is one of these", rare=True)] = None,
    scope: Annotated[Literal["in", "companion", "out"] | None, Field("Only with this verdict", rare=True)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=1_000)] = 200,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List the files a task changed, with lines, whose change it is and its scope verdict.

    Also while it is in progress. With changes_unknown nobody could tell: an empty list then means nothing.
    `by` says whose: task, subtask, shared (by tasks at once), other (another task's), arrived (by merge, pull
    or checkout) or deedlog (its own files).
    """
    task = ctx.ledger.get(Task, task_id)
    start, _ = page.opened(cursor) or (0, "")
    session = session_meant(ctx.ledger, task, session_id)
    running = so_far(ctx, task, session)
    ended = None if running else session
    if ended and ended.changes_unknown:
        return {"changes_unknown": True, "changes": []}
    every: Any = running.rows if running else changes_of(ctx, ended) if ended else []
    counts = account.counts(every) if running else ended.counts if ended else {}
    found = [row for row in every if (not by or row["by"] in by) and (not scope or row.get("scope") == scope)]
    rows = page.fitting(found[start : start + limit])
    answer: Listed = {"changes": rows}
    if counts:
        answer["counts"] = counts
    if by or scope:
        answer["whose"] = {name: number for name in WHOSE if (number := sum(row["by"] == name for row in every))}
    if running:
        answer["so_far"] = True
    if start + len(rows) < len(found):
        answer["next_cursor"] = page.cursor((start + len(rows), ""))
    return answer
