"""Test-only operations that write several things at once: all of them, or none."""

from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.task import Session, Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from tests.engines.tracked import a_session, a_task

SIZE = 4


class Begun(TypedDict):
    workflow_ids: list[str]


@operation(Effect.WRITE, capability="bulk", callers=ANYONE, words="bulk start")
def bulk_start(ctx: Context, *, name: Annotated[str, Field("What they are called")]) -> Begun:
    """Start several workflows at once."""
    made = [Workflow(id=ctx.new_id("wf"), name=name, created_at=ctx.now) for _ in range(SIZE)]
    answer: Begun = {"workflow_ids": [workflow.id for workflow in made]}
    return ctx.commit(*made, answer=answer)


class Tracked(TypedDict):
    made: list[str]
    number: int


@operation(Effect.WRITE, capability="bulk", callers=ANYONE, words="bulk track")
def bulk_track(ctx: Context, *, name: Annotated[str, Field("What it is called")]) -> Tracked:
    """Start a task that is called by a number, with a session that names a blob."""
    number = ctx.ledger.next_number(Task)
    task = a_task(number, name=name).replace(id=ctx.new_id("task"))
    patch = ctx.ledger.keep(name.encode() * 100)
    session = a_session(ctx.ledger.next_number(Session), patch=patch).replace(id=ctx.new_id("session"))
    answer: Tracked = {"made": [task.id, session.id], "number": number}
    return ctx.commit(task, session, answer=answer)
