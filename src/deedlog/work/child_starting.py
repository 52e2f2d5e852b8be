"""Starting one child, and telling of it once it runs."""

from __future__ import annotations

from typing import Any, NotRequired

from deedlog.core.child import is_ready
from deedlog.work.child_rows import Child, find_child, whole_row
from deedlog.work.spawning import Spawning, until_ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.task import Session, Task
    from deedlog.ports import Context
    from deedlog.work.spawning import Ask


class Started(Child):
    ready: bool
    ready_message: Any
    op_id: str
    warnings: NotRequired[list[str]]


def start(ctx: Context, ask: Ask, ready_ms: int) -> Any:
    """The answer about a child that was started, as it is once its process runs or the time is over."""
    with Spawning(ctx) as children:
        children.add(ask)
        answer = children.commit(lambda started, warnings: _told(ctx, started[0], warnings))
    if ready_ms:
        session = find_child(ctx, answer["child_id"])
        answer |= started_row(ctx, until_ready(ctx, [session], ready_ms)[0])
    return answer


def _told(ctx: Context, started: tuple[Task, Session], warnings: list[str]) -> dict[str, Any]:
    task, session = started
    row = started_row(ctx, session, task) | {"op_id": ctx.op_id}
    return row | ({"warnings": warnings} if warnings else {})


def started_row(ctx: Context, session: Session, task: Task | None = None) -> dict[str, Any]:
    message = session.error.get("message") or (f"at work ({session.enforcement})" if is_ready(session) else None)
    return whole_row(ctx, session, task) | {"ready": is_ready(session), "ready_message": message}
