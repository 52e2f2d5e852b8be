"""Which session of a task is meant, where only the task was named."""

from __future__ import annotations

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.queue import waits_for_merge
from deedlog.core.task import COMPLETED, MERGED, Session, Task
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.ports import Context


def chosen(ctx: Context, session_id: int | None, task_id: int | None) -> Session:
    """The session whose work is meant: the one named, the one selected of a task, or the only one that waits."""
    if session_id is not None:
        return one_named(ctx, session_id, task_id)
    task = _task(ctx, task_id)
    if task.selected_session_id:
        return ctx.ledger.get(Session, task.selected_session_id)
    sessions = [session for session in every(ctx.ledger, Session, {"task_id": task.id}) if session.worktree]
    waiting = [s for s in sessions if s.dod_result != MERGED and not s.commit and not s.sent_back]
    done = [s for s in waiting if waits_for_merge(s)] or [s for s in waiting if s.status == COMPLETED]
    return only_one(task, done or waiting or sessions[:1], "worker")


def to_merge(ctx: Context, task: Task) -> list[Session]:
    """The attempts that can be merged, the newest first: the selected one, where a person chose."""
    found = [session for session in every(ctx.ledger, Session, {"task_id": task.id}) if waits_for_merge(session)]
    return [session for session in found if session.id == task.selected_session_id] or found


def one_named(ctx: Context, session_id: int, task_id: int | None) -> Session:
    """The session of that number; of that task, where both were said."""
    session = ctx.ledger.get(Session, str(session_id))
    if task_id is not None and (task := ctx.ledger.get(Task, str(task_id))).id != session.task_id:
        raise Invalid(f"session {session.number} is not one of {task.ref}", data={"field": "sessionId"})
    return session


def of_task(ctx: Context, task_id: int | None, statuses: Sequence[str] = ()) -> tuple[Task, list[Session]]:
    """A task and its sessions, newest first; only those of some `statuses` where any are given."""
    task = _task(ctx, task_id)
    found = every(ctx.ledger, Session, {"task_id": task.id})
    return task, [session for session in found if not statuses or session.status in statuses]


def _task(ctx: Context, task_id: int | None) -> Task:
    if task_id is None:
        raise Invalid("taskId or sessionId: one of them is needed", data={"field": "taskId"})
    return ctx.ledger.get(Task, str(task_id))


def only_one(task: Task, found: Sequence[Session], missing: str) -> Session:
    """The one session there is to choose from; `missing` is what the task has not if there is none."""
    if len(found) == 1:
        return found[0]
    numbers = [session.number for session in found]
    what = f"{len(found)} sessions to choose from: {', '.join(map(str, numbers))}" if found else f"no {missing}"
    raise Conflict(
        f"{task.ref} has {what}",
        hint="name one by sessionId; session_compare shows how they differ"
        if found
        else "session_list shows all of its sessions",
        data={"task_id": task.number, "session_ids": numbers},
    )
