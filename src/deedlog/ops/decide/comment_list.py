from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.remark import Comment
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.commenting import CommentRow, comment_row


class Listed(TypedDict):
    comments: list[CommentRow]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    columns=("comment_id", "by", "path", "line", "text", "status"),
    whole="text",
    examples=("deedlog comment list task-5", "deedlog comment list task-5 --status all"),
)
def comment_list(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    status: Annotated[Literal["open", "resolved", "all"], Field("Only comments with this status")] = "open",
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 200,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List what people said about the work on a task, in the order they said it."""
    task = ctx.ledger.get(Task, task_id)
    where = {"task_id": task.id} | ({} if status == "all" else {"status": status})
    found = ctx.ledger.find(Comment, where, limit=limit + 1, before=page.opened(cursor), oldest=True)
    refs: dict[str, str] = {}
    rows = page.fitting([comment_row(ctx, task, one, refs) for one in found[:limit]])
    if len(rows) == len(found):
        return {"comments": rows}
    return {"comments": rows, "next_cursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}
