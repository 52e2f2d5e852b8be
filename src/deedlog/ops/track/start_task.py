from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import uncovered
from deedlog.core.area import each_alone
from deedlog.core.change import Snapshot, shown
from deedlog.core.errors import DeedlogError
from deedlog.core.moment import iso
from deedlog.core.task import Session, Task, check_parent, fitting
from deedlog.core.value import Entity
from deedlog.core.workflow import Workflow, reopen
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.lookup import above, repeated, running
from deedlog.work.upkeep import forget

MOST_NAMED = 3


class Started(TypedDict):
    task_id: str
    snapshot_id: str
    snapshot_type: str
    started_at: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    words="task start",
    everyday=2,
    waits=True,
    examples=(
        "deedlog task start wf-1j9x2k3m4n5p6q7r 'Add middleware' 'Verify JWT tokens' --areas auth --areas middleware",
    ),
)
def start_task(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("Parent workflow ID", min_length=1, max_length=80)],
    parent_task_id: Annotated[str | None, Field("Parent task ID (null if top-level task)", max_length=80)] = None,
    name: Annotated[str, Field("Task name (e.g., 'Implement Stripe integration')", min_length=1, max_length=200)],
    goal: Annotated[str, Field("Precise goal of this task", min_length=1, max_length=10_000)],
    areas: Annotated[
        list[str] | None, Field("Code areas this task will touch (e.g., ['auth', 'api'])", max_items=50)
    ] = None,
) -> Started:
    """Start a new task and create a Git snapshot.

    Call it before you change anything: what changes until complete_task is the task's work. An area is a
    word of the paths it means, or a glob such as src/auth/**; without areas nothing is out of scope.
    """
    numbers: dict[type[Entity], int] = {}
    said: dict[str, Any] = {"name": name, "goal": goal, "areas": fitting("areas", each_alone(areas or []))}
    _check(ctx, workflow_id, parent_task_id)
    ctx.peer.progress(0, 1, "reading the work tree")
    snapshot = ctx.snapshots.take(ctx.new_id("snap"))
    try:
        snapshot = snapshot.replace(warnings=[*snapshot.warnings, *_misspelt(ctx, snapshot, said["areas"])])
        return repeated(lambda: _start(ctx, workflow_id, parent_task_id, snapshot, said, numbers))
    except DeedlogError:
        forget(ctx, snapshot.tree, [snapshot.id])
        raise


def _misspelt(ctx: Context, snapshot: Snapshot, areas: list[str]) -> list[str]:
    """What to tell about areas that no file belongs to."""
    if not areas:
        return []
    return uncovered.warnings(uncovered.uncovered(areas, ctx.snapshots.paths(snapshot.tree, snapshot.id), ctx.areas))


def _check(ctx: Context, workflow_id: str, parent_task_id: str | None) -> tuple[Workflow, str]:
    """The workflow, and the id of the parent in it."""
    workflow = ctx.ledger.get(Workflow, workflow_id)
    if not parent_task_id:
        return workflow, ""
    parent = ctx.ledger.get(Task, parent_task_id)
    check_parent(parent, workflow.id)
    return workflow, parent.id


def _start(
    ctx: Context,
    workflow_id: str,
    parent_task_id: str | None,
    snapshot: Snapshot,
    said: dict[str, Any],
    numbers: dict[type[Entity], int],
) -> Started:
    seen = ctx.ledger.head()
    workflow, parent_id = _check(ctx, workflow_id, parent_task_id)
    beside = running(ctx.ledger, snapshot.tree)
    task = Task(
        id=ctx.new_id("task"),
        number=_number(ctx, Task, numbers),
        workflow_id=workflow.id,
        parent_id=parent_id,
        created_at=ctx.now,
        updated_at=ctx.now,
        **said,
    )
    answer: Started = {
        "task_id": task.ref,
        "snapshot_id": snapshot.base,
        "snapshot_type": snapshot.type,
        "started_at": iso(ctx.now),
    }
    if warnings := [*snapshot.warnings, *_also_at_work(ctx, task, snapshot, beside), *_reopened(workflow)]:
        answer["warnings"] = warnings
    opened = reopen(workflow)
    session = _session(ctx, task, snapshot, beside, _number(ctx, Session, numbers))
    values = [task, session, *([] if opened == workflow else [opened])]
    stored = ctx.commit(*values, answer=answer, seen=Seen(subject=workflow.uri, seq=seen))
    if stored != answer:  # the same call, with the same key, was faster
        forget(ctx, snapshot.tree, [snapshot.id])
    return stored


def _number(ctx: Context, entity: type[Entity], numbers: dict[type[Entity], int]) -> int:
    """The number this call was given at its first attempt; another one only where an import brought it since."""
    if entity not in numbers or ctx.ledger.find_one(entity, str(numbers[entity])):
        numbers[entity] = ctx.ledger.next_number(entity)
    return numbers[entity]


def _session(ctx: Context, task: Task, snapshot: Snapshot, beside: list[Session], number: int) -> Session:
    return Session(
        id=ctx.new_id("session"),
        number=number,
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        tree=snapshot.tree,
        branch=shown(snapshot.branch),
        snapshot_id=snapshot.id,
        snapshot_type=snapshot.type,
        base=snapshot.base,
        snapshot_at=snapshot.at,
        started_at=ctx.now,
        beside=[other.id for other in beside],
    )


def _reopened(workflow: Workflow) -> list[str]:
    """What to tell about a workflow that somebody had ended; one that ended by itself just goes on."""
    if workflow.ended_at is None or workflow.derived:
        return []
    return [f"workflow {workflow.id} had ended as {workflow.status}; it is in progress again"]


def _also_at_work(ctx: Context, task: Task, snapshot: Snapshot, beside: list[Session]) -> list[str]:
    """What to tell about other tasks in the tree: one that somebody forgot would share whatever changes from now on."""
    if not beside:
        return []
    here, over_it = ctx.snapshots.here(snapshot.tree), above(ctx.ledger, task, {})
    others = [other for other in beside if other.task_id not in over_it and other.snapshot_id in here]
    found = [f"{ctx.ledger.get(Task, o.task_id).ref} (since {iso(o.started_at)})" for o in others[-MOST_NAMED:]]
    if not found:
        return []
    named = ", ".join([*reversed(found), *(["…"] if len(others) > MOST_NAMED else [])])
    return [f"also in progress in this work tree: {named}; what changes meanwhile may be shared. Complete what is over"]
