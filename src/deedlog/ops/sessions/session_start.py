from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.agent import Agent
from deedlog.core.caller import ANYONE
from deedlog.core.change import Snapshot
from deedlog.core.definition import UNLIMITED
from deedlog.core.errors import DeedlogError, NotFound
from deedlog.core.moment import iso
from deedlog.core.task import Session, Task
from deedlog.core.value import uris
from deedlog.core.violation import joined
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.commenting import feedback
from deedlog.work.lookup import repeated, running
from deedlog.work.opening import Numbers, also_at_work, opened, reopened
from deedlog.work.preparing import agent_for
from deedlog.work.starting import answered_before, refuse_unready
from deedlog.work.task_inputs import Epoch
from deedlog.work.upkeep import forget


class Started(TypedDict):
    sessionId: int
    startedAt: str
    feedback: NotRequired[Any]
    warnings: NotRequired[list[str]]


class Said(TypedDict):
    """The arguments, as the session has them."""

    agent: str
    group: str
    key: str


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    waits=True,
    settles=True,
    examples=(
        "deedlog session start 5 coder",
        "deedlog session start 5 $USER",
        "deedlog session start 5 coder --session-group-id attempts",
    ),
)
def session_start(
    ctx: Context,
    *,
    task_id: Annotated[int, Field("The task", minimum=1)],
    agent: Annotated[str, Field("The agent's name, or yours", min_length=1, max_length=80)],
    session_group_id: Annotated[
        str | None, Field("Sessions of one group may run side by side", max_length=200, rare=True)
    ] = None,
    idempotency_key: Annotated[str | None, Field("The same key starts nothing new", max_length=200, rare=True)] = None,
    epoch: Epoch = None,
) -> Started:
    """Start a new session for a task.

    In the current work tree; what changes there until session_end is its work.
    """
    said: Said = {"agent": agent, "group": session_group_id or "", "key": idempotency_key or ""}
    task = ctx.ledger.get(Task, str(task_id))
    if (before := _before(ctx, task, said)) is not None:
        return before
    worker = _at_work(ctx, task, agent)
    refuse_unready(ctx, task, group=said["group"], epoch=epoch)
    numbers = Numbers(ctx)
    ctx.peer.progress(0, 1, "reading the work tree")
    snapshot = ctx.snapshots.take(ctx.new_id("snap"))

    def attempt() -> Started:
        seen = ctx.ledger.head()
        task = ctx.ledger.get(Task, str(task_id))
        if (before := _before(ctx, task, said)) is not None:
            forget(ctx, snapshot.tree, [snapshot.id])
            return before
        refuse_unready(ctx, task, group=said["group"], epoch=epoch)
        return _start(ctx, task, worker, said, snapshot, numbers, seen)

    try:
        return repeated(attempt)
    except DeedlogError:
        forget(ctx, snapshot.tree, [snapshot.id])
        raise


def _at_work(ctx: Context, task: Task, name: str) -> Agent:
    """The agent of that name; a person, who is the caller or has the task, needs no definition."""
    try:
        return agent_for(ctx, task, name)
    except NotFound as refusal:
        if name == ctx.actor or (name == task.assignee and task.assignee_type == "human"):
            return Agent(id=name, client="", scope=UNLIMITED)
        hint = f"{refusal.hint}; if you do it yourself, give your name: {ctx.actor!r}"
        raise NotFound(refusal.message, hint=hint, data=refusal.data) from None


def _before(ctx: Context, task: Task, said: Said) -> Started | None:
    """What the first call with the same key answered."""
    told = {"agent": said["agent"], "group": said["group"]}
    before: Started | None = answered_before(ctx, task, said["key"], "session_start", told)
    return before


def _start(
    ctx: Context, task: Task, worker: Agent, said: Said, snapshot: Snapshot, numbers: Numbers, seen: int
) -> Started:
    beside = running(ctx.ledger, snapshot.tree)
    session = opened(
        ctx,
        task,
        snapshot,
        beside,
        numbers.of(Session),
        scope=joined(worker.scope, task.scope),
        client=worker.client,
        epoch=task.epoch,
        **said,
    )
    answer: Started = {"sessionId": session.number, "startedAt": iso(ctx.now)}
    if comments := feedback(ctx, task):
        answer["feedback"] = comments
    if warnings := [*snapshot.warnings, *also_at_work(ctx, task, snapshot, beside), *_reopened(ctx, task)]:
        answer["warnings"] = warnings
    stored = ctx.commit(
        session,
        *with_sessions(ctx, task, session),
        answer=answer,
        seen=resting_on(task, seen, *uris(key=session.key)),
    )
    if stored != answer:  # the same call was faster
        forget(ctx, snapshot.tree, [snapshot.id])
    return stored


def _reopened(ctx: Context, task: Task) -> list[str]:
    return reopened(ctx.ledger.get(Workflow, task.workflow_id)) if task.workflow_id else []
