from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.task import PENDING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.choosing import of_task, one_named, only_one
from deedlog.work.finishing import DISCARD
from deedlog.work.lookup import repeated
from deedlog.work.preparing import put_back


class Restored(TypedDict):
    sessionId: int
    worktree: str
    branch: str
    taskStatus: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    waits=True,
    examples=("deedlog worker restore task-5", "deedlog worker restore session-12"),
)
def worker_restore(
    ctx: Context,
    *,
    task_id: Annotated[int | None, Field("Task ID", minimum=1)] = None,
    session_id: Annotated[int | None, Field("Or one of its sessions", minimum=1)] = None,
) -> Restored:
    """Bring back the work tree and branch that worker_done removed, with what was not committed."""
    session = _chosen(ctx, session_id, task_id)
    if not session.commit:
        raise Conflict(
            f"the work tree of session {session.number} was not removed",
            hint=f"it is in {session.worktree}" if session.worktree else "it had none of its own",
            data={"session_id": session.number},
        )
    name = session.worktree.rpartition("/")[2]
    if name not in ctx.worktrees.names():  # a call that died before it could tell may have brought it back
        ctx.worktrees.restore(name, session.branch, session.commit)
    warnings = _put_back(ctx, session)
    answer = repeated(lambda: _record(ctx, session.id))
    if warnings:
        answer["warnings"] = warnings
    return answer


def _put_back(ctx: Context, session: Session) -> list[str]:
    """Our files, too; what is in their way is no reason to keep back the work."""
    try:
        put_back(ctx, ctx.ledger.get(Task, session.task_id), session)
    except DeedlogError as error:
        return [f"the prompt and the memory are not there: {error.message}"]
    return []


def _chosen(ctx: Context, session_id: int | None, task_id: int | None) -> Session:
    if session_id is not None:
        return one_named(ctx, session_id, task_id)
    task, found = of_task(ctx, task_id)
    return only_one(task, [session for session in found if session.commit], "work tree that was removed")


def _record(ctx: Context, session_id: str) -> Restored:
    seen = ctx.ledger.head()
    session = ctx.ledger.get(Session, session_id)
    task = ctx.ledger.get(Task, session.task_id)
    back = session.replace(commit="")
    if session.merge.get("how") == DISCARD:
        back = back.replace(merge={}, dod_result=PENDING)
    changed = with_sessions(ctx, task, back)
    after = next((value for value in changed if isinstance(value, Task) and value.id == task.id), task)
    answer: Restored = {
        "sessionId": back.number,
        "worktree": back.worktree,
        "branch": back.branch,
        "taskStatus": after.status,
    }
    return ctx.commit(back, *changed, answer=answer, seen=resting_on(task, seen))
