from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.task import QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated


class Selected(TypedDict):
    taskId: int
    sessionId: int
    status: str
    before: NotRequired[int]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    examples=("deedlog session select 123",),
)
def session_select(ctx: Context, *, session_id: Annotated[int, Field("The winner", minimum=1)]) -> Selected:
    """Select the session whose work its task shall have."""
    return repeated(lambda: _select(ctx, str(session_id)))


def _select(ctx: Context, session_id: str) -> Selected:
    session = ctx.ledger.get(Session, session_id)
    task = ctx.ledger.get(Task, session.task_id)
    if session.status in (RUNNING, QUEUED):
        raise Conflict(
            f"{session.ref} is {session.status}: nobody knows yet what comes of it",
            hint="wait for it, or stop it",
            data={"session_id": session.number, "status": session.status},
        )
    answer: Selected = {"taskId": task.number, "sessionId": session.number, "status": session.status}
    if task.selected_session_id == session.id:
        return ctx.commit(answer=answer)
    if task.selected_session_id:
        ctx.need_person("other", f"{task.ref} has a selected session: choosing another one needs a person")
    if before := ctx.ledger.find_one(Session, task.selected_session_id) if task.selected_session_id else None:
        answer["before"] = before.number
    return ctx.commit(task.replace(selected_session_id=session.id, updated_at=ctx.now), answer=answer)
