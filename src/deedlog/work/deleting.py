"""Whether a task can go: what would be lost or left behind without it."""

from __future__ import annotations

from deedlog.core.queue import is_held
from deedlog.core.remark import Comment, Decision, Issue, Milestone, Review
from deedlog.core.task import Session, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from deedlog.core.value import Entity
    from deedlog.ports import Context

RECORDED: tuple[type[Entity], ...] = (Session, Decision, Issue, Milestone, Review, Comment)


def why_kept(ctx: Context, task: Task, going: Collection[str] = (), freed: Collection[str] = ()) -> str:
    """Why it cannot go; empty where it can. Others are `going`, too, and those `freed` will not wait for it."""
    if is_held(task, ctx.now):
        return f"{task.holder} has claimed it"
    for kind in RECORDED:
        if ctx.ledger.find(kind, {"task_id": task.id}, limit=1):
            return f"there is a {kind.kind} of it"
    parts = ctx.ledger.find(Task, {"parent_id": task.id}, limit=len(going) + 1)
    if below := next((other for other in parts if other.id not in going), None):
        return f"{below.ref} is a part of it"
    waiting = (ctx.ledger.find_one(Task, task_id) for task_id in task.blocks if task_id not in freed)
    if found := next((other for other in waiting if other), None):
        return f"{found.ref} waits for it"
    return ""
