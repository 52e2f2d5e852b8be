from __future__ import annotations

from typing import Annotated, Any, NotRequired

from deedlog.core.caller import PEOPLE
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.commenting import TEXT, CommentRow, Said, Side, comment, comment_row
from deedlog.work.lookup import named_session
from deedlog.work.misplaced import misplaced


class Added(CommentRow):
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    people=True,
    examples=("deedlog comment add task-5 'Why twice?' --path src/a.py --line 12",),
)
def comment_add(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    text: Annotated[str, TEXT],
    path: Annotated[str | None, Field("The file, as the diff names it", max_length=4_000)] = None,
    line: Annotated[int | None, Field("The line of it", minimum=1)] = None,
    side: Annotated[Side, Field("Of the file as it was, or as it is now")] = "new",
    session_id: Annotated[str | None, Field("The attempt it is about", max_length=80)] = None,
) -> Added:
    """Comment on the work on a task, without sending it back. Whoever works on it next is told."""
    task = ctx.ledger.get(Task, task_id)
    session = named_session(ctx.ledger, task, session_id) if session_id else None
    said: Said = {"text": text, "path": path or "", "line": line, "side": side}
    made = comment(ctx, task, said, session)
    answer: Any = comment_row(ctx, task, made, {})
    if warnings := misplaced(ctx, task, [made]):
        answer["warnings"] = warnings
    stored: Added = ctx.commit(made, answer=answer)
    return stored
