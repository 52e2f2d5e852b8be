from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE, Kind
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.queue import OVER, queued
from deedlog.core.task import OPEN, Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, unfinished, with_dependents
from deedlog.work.dependency import blocking, named, refuse_whole
from deedlog.work.lookup import repeated
from deedlog.work.opening import Numbers
from deedlog.work.task_inputs import (
    MOST_TASKS,
    AssigneeType,
    GivenBudget,
    GivenChecks,
    GivenScope,
    Priority,
    TaskId,
    Type,
    labels_of,
    work_fields,
)
from deedlog.work.task_rows import Row, task_row


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    alias="task add",
    examples=(
        "deedlog task add 'Implement authentication' --priority high --type feature --assignee coder",
        "deedlog task create 'Write the tests' --depends-on 5 --labels auth,tests",
    ),
)
def task_create(
    ctx: Context,
    *,
    title: Annotated[str, Field("Title", min_length=1, max_length=500)],
    description: Annotated[str, Field("Markdown", max_length=100_000)] = "",
    priority: Annotated[Priority, Field("Urgency")] = "medium",
    type: Annotated[Type, Field("Kind of work", rare=True)] = "task",  # noqa: A002  # as the protocol has it
    assignee: Annotated[str, Field("Agent or person", max_length=200, rare=True)] = "",
    assignee_type: Annotated[AssigneeType | None, Field("Who that is", rare=True)] = None,
    labels: Annotated[str, Field("Comma-separated labels", max_length=10_000, rare=True)] = "",
    parent_id: Annotated[int | None, Field("Parent task", minimum=1, rare=True)] = None,
    workflow_id: Annotated[str | None, Field("Its workflow", max_length=80)] = None,
    depends_on: Annotated[list[TaskId] | None, Field("Tasks to do first", max_items=MOST_TASKS)] = None,
    complexity: Annotated[int | None, Field("1 to 10", minimum=1, maximum=10, rare=True)] = None,
    areas: Annotated[list[str] | None, Field("Code areas", max_items=50, rare=True)] = None,
    scope: GivenScope = None,
    checks: GivenChecks = None,
    budget: GivenBudget = None,
) -> Row:
    """Create a new task, to be worked on later."""
    numbers = Numbers(ctx)
    said: dict[str, Any] = {
        "name": title,
        "goal": description,
        "priority": priority,
        "type": type,
        "assignee": assignee.strip(),
        "assignee_type": assignee_type or "",
        "labels": labels_of(labels),
        "complexity": complexity,
        **work_fields(areas, scope, checks, budget),
        "scope_by": "" if not scope or ctx.is_person else str(Kind.AGENT),
    }
    return repeated(lambda: _create(ctx, numbers, said, parent_id, workflow_id, depends_on or []))


def _create(
    ctx: Context,
    numbers: Numbers,
    said: dict[str, Any],
    parent_id: int | None,
    workflow_id: str | None,
    depends_on: list[int],
) -> Row:
    seen = ctx.ledger.head()
    parent = ctx.ledger.get(Task, str(parent_id)) if parent_id else None
    workflow = _workflow(ctx, parent, workflow_id)
    needed = named(ctx, depends_on)
    task = Task(
        id=ctx.new_id("task"),
        number=0,
        workflow_id=workflow,
        parent_id=parent.id if parent else "",
        status=OPEN,
        depends_on=[other.id for other in needed],
        waiting=unfinished(ctx, [other.id for other in needed], *needed),
        created_at=ctx.now,
        updated_at=ctx.now,
        **said,
    )
    refuse_whole(ctx, task, needed, "dependsOn")
    task = queued(task.replace(number=numbers.of(Task)))
    return ctx.commit(
        *with_dependents(ctx, task),
        *(blocking(other, task.id) for other in needed),
        answer=task_row(ctx, task),
        seen=resting_on(task, seen, *([parent.uri] if parent else [])),
    )


def _workflow(ctx: Context, parent: Task | None, workflow_id: str | None) -> str:
    """The workflow it belongs to: its own or its parent's."""
    found = ctx.ledger.get(Workflow, workflow_id).id if workflow_id else ""
    if parent is None:
        return found
    if parent.status in OVER:
        raise Conflict(
            f"{parent.ref} is {parent.status}: it gets no more subtasks",
            hint="create the task without a parent",
            data={"task_id": parent.ref, "status": parent.status},
        )
    if found and found != parent.workflow_id:
        raise Invalid(
            f"workflowId: {parent.ref} belongs to {parent.workflow_id or 'no workflow'}",
            hint="leave out workflowId: a subtask belongs to its parent's workflow",
            data={"field": "workflowId"},
        )
    return parent.workflow_id
