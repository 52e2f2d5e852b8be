from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.queue import check_epoch, queued
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.task_inputs import (
    AssigneeType,
    Epoch,
    GivenBudget,
    GivenChecks,
    OtherScope,
    Priority,
    TaskId,
    Type,
    labels_of,
    work_fields,
)
from deedlog.work.task_rows import Row, task_row

Json = dict[str, Any]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    examples=(
        "deedlog task update 5 --priority critical --labels auth,security",
        "deedlog task update 5 --assignee ''",
    ),
    instead={
        "status": "it follows from the task's sessions; task_done and task_cancel tell how it ended without one",
        "selectedSessionId": "session_select selects an attempt",
    },
)
def task_update(
    ctx: Context,
    *,
    id: TaskId,  # noqa: A002  # as the protocol has it
    title: Annotated[str | None, Field("Title", min_length=1, max_length=500)] = None,
    description: Annotated[str | None, Field("Markdown", max_length=100_000)] = None,
    priority: Annotated[Priority | None, Field("Urgency")] = None,
    type: Annotated[Type | None, Field("Kind of work")] = None,  # noqa: A002
    assignee: Annotated[str | None, Field("'' for nobody", max_length=200)] = None,
    assignee_type: Annotated[AssigneeType | None, Field("Who that is")] = None,
    labels: Annotated[str | None, Field("Comma-separated labels", max_length=10_000)] = None,
    complexity: Annotated[int | None, Field("1 to 10", minimum=1, maximum=10)] = None,
    areas: Annotated[list[str] | None, Field("Code areas", max_items=50, person=True)] = None,
    scope: OtherScope = None,
    checks: GivenChecks = None,
    budget: GivenBudget = None,
    epoch: Epoch = None,
) -> Row:
    """Update a task. Its status follows from its sessions."""
    given: Json = {
        "name": title,
        "goal": description,
        "priority": priority,
        "type": type,
        "assignee": None if assignee is None else assignee.strip(),
        "assignee_type": assignee_type,
        "labels": None if labels is None else labels_of(labels),
        "complexity": complexity,
        **work_fields(areas, scope, checks, budget),
    }
    given = {name: value for name, value in given.items() if value is not None}
    if "scope" in given:
        given["scope_by"] = ""  # only a person changes it
    if not given:
        raise Invalid("nothing is said that shall change", hint="give a field, such as title or priority")
    return repeated(lambda: _update(ctx, id, given, epoch))


def _update(ctx: Context, number: int, given: Json, epoch: int | None) -> Row:
    before = ctx.ledger.get(Task, str(number))
    check_epoch(before, epoch)
    changes = dict(given)
    if changes.get("assignee") == "" and "assignee_type" not in changes:
        changes["assignee_type"] = ""  # nobody is neither a person nor an agent
    task = queued(before.replace(**changes))
    if task == before:
        return task_row(ctx, before)
    task = task.replace(updated_at=ctx.now)
    return ctx.commit(task, answer=task_row(ctx, task))
