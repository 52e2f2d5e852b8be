from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import PEOPLE
from deedlog.core.remark import Comment, resolved
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.commenting import CommentRow, comment_row
from deedlog.work.lookup import repeated


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    people=True,
    examples=("deedlog comment resolve cmt-1j9x2k3m4n5p6q7r",),
)
def comment_resolve(
    ctx: Context,
    *,
    comment_id: Annotated[str, Field("The comment, as comment_list shows it", min_length=1, max_length=80)],
) -> CommentRow:
    """Call a comment settled: nobody is told of it any more."""
    return repeated(lambda: _resolve(ctx, comment_id))


def _resolve(ctx: Context, comment_id: str) -> CommentRow:
    before = ctx.ledger.get(Comment, comment_id)
    after = resolved(before, by=ctx.actor, now=ctx.now)
    row = comment_row(ctx, ctx.ledger.get(Task, before.task_id), after, {})
    return ctx.commit(*([] if after == before else [after]), answer=row)
