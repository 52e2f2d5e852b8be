from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.queue import check_holder, is_held, is_ready, waits_for_merge
from deedlog.core.task import CANCELLED, COMPLETED, DONE, QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.lookup import every, refuse_open, repeated, unfinished_tasks
from deedlog.work.opening import Numbers
from deedlog.work.task_inputs import TaskId


class Done(TypedDict):
    id: int
    status: str
    sessionId: NotRequired[int]
    unblocked: NotRequired[list[int]]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    examples=("deedlog task done 5", "deedlog task done 5 --note 'Changed at the registrar'"),
)
def task_done(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    note: Annotated[str, Field("What came of it", max_length=2_000)] = "",
) -> Done:
    """Record that a task was done where nobody tracked it."""
    numbers = Numbers(ctx)
    return repeated(lambda: _done(ctx, id, note, numbers))


def _done(ctx: Context, number: int, note: str, numbers: Numbers) -> Done:
    seen = ctx.ledger.head()
    task = ctx.ledger.get(Task, str(number))
    if task.status == DONE:
        return {"id": task.number, "status": task.status}
    _refuse(ctx, task)
    session = Session(
        id=ctx.new_id("session"),
        number=numbers.of(Session),
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        status=COMPLETED,
        result="success",
        outcome={"summary": note} if note else {},
        started_at=ctx.now,
        ended_at=ctx.now,
        changes_unknown=True,
    )
    values = with_sessions(ctx, task, session)
    tasks = [value for value in values if isinstance(value, Task)]
    answer: Done = {"id": task.number, "status": tasks[0].status, "sessionId": session.number}
    if unblocked := [other.number for other in tasks[1:] if is_ready(other)]:
        answer["unblocked"] = unblocked
    return ctx.commit(session, *values, answer=answer, seen=resting_on(task, seen, task.uri))


def _refuse(ctx: Context, task: Task) -> None:
    if is_held(task, ctx.now):
        check_holder(task, None, ctx.actor)
    if task.status == CANCELLED:
        raise _conflict(task, "is cancelled", "task_reopen takes it up again")
    for session in every(ctx.ledger, Session, {"task_id": task.id}):
        if session.status == RUNNING:
            way = "worker_wait waits for it" if session.process else "complete_task or session_end ends it"
            raise _conflict(task, f"is worked on in {session.ref}", way, session)
        if session.status == QUEUED:
            raise _conflict(
                task, f"waits for a worker in {session.ref}", "worker_stop takes it out of the queue", session
            )
        if waits_for_merge(session):
            raise _conflict(
                task, f"has work to be merged in {session.ref}", "worker_done merges or discards it", session
            )
    refuse_open(unfinished_tasks(ctx.ledger, {"parent_id": task.id}), f"{task.ref} has open subtasks")


def _conflict(task: Task, problem: str, hint: str, session: Session | None = None) -> Conflict:
    about = {"session_id": session.number} if session else {}
    return Conflict(f"{task.ref} {problem}", hint=hint, data={"task_id": task.number, **about})
