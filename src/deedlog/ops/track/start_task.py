from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import uncovered
from deedlog.core.area import each_alone
from deedlog.core.caller import ANYONE
from deedlog.core.change import Snapshot
from deedlog.core.errors import DeedlogError
from deedlog.core.moment import iso
from deedlog.core.task import Session, Task, check_parent, fitting
from deedlog.core.workflow import Workflow, reopen
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.commenting import feedback_in
from deedlog.work.current import limits
from deedlog.work.lookup import repeated, running
from deedlog.work.opening import Numbers, also_at_work, opened, reopened
from deedlog.work.upkeep import forget


class Started(TypedDict):
    task_id: str
    snapshot_id: str
    snapshot_type: str
    started_at: str
    feedback: NotRequired[Any]
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
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
    word of the paths it means, or a glob such as src/auth/**; without areas those of docs/CURRENT_TASK.md
    count, else nothing is out of scope.
    """
    numbers = Numbers(ctx)
    said: dict[str, Any] = {"name": name, "goal": goal, "areas": fitting("areas", each_alone(areas or []))}
    workflow, _ = _check(ctx, workflow_id, parent_task_id)
    told = _from_current_task(ctx, workflow, said) if areas is None else []
    ctx.peer.progress(0, 1, "reading the work tree")
    snapshot = ctx.snapshots.take(ctx.new_id("snap"))
    try:
        told += _misspelt(ctx, snapshot, areas or [])
        snapshot = snapshot.replace(warnings=[*snapshot.warnings, *told])
        return repeated(lambda: _start(ctx, workflow_id, parent_task_id, snapshot, said, numbers))
    except DeedlogError:
        forget(ctx, snapshot.tree, [snapshot.id])
        raise


def _from_current_task(ctx: Context, workflow: Workflow, said: dict[str, Any]) -> list[str]:
    """Let the areas be what the current task allows; what to tell about that."""
    found = limits(ctx, workflow.id)
    if found is None:
        return []
    said |= {"areas": found.patterns, "clarified": found.uid}
    return [found.told("areas", 'give areas to declare others ("**": everything)')]


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
    numbers: Numbers,
) -> Started:
    seen = ctx.ledger.head()
    workflow, parent_id = _check(ctx, workflow_id, parent_task_id)
    beside = running(ctx.ledger, snapshot.tree)
    task = Task(
        id=ctx.new_id("task"),
        number=numbers.of(Task),
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
    if comments := feedback_in(ctx, workflow.id):
        answer["feedback"] = comments
    if warnings := [*snapshot.warnings, *also_at_work(ctx, task, snapshot, beside), *reopened(workflow)]:
        answer["warnings"] = warnings
    open_again = reopen(workflow)
    session = opened(ctx, task, snapshot, beside, numbers.of(Session))
    values = [task, session, *([] if open_again == workflow else [open_again])]
    stored = ctx.commit(*values, answer=answer, seen=Seen(subject=workflow.uri, seq=seen))
    if stored != answer:  # the same call, with the same key, was faster
        forget(ctx, snapshot.tree, [snapshot.id])
    return stored
