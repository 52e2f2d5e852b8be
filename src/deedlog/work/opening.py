"""What opening a session in the current work tree means, whoever opens it."""

from __future__ import annotations

from deedlog.core.change import shown
from deedlog.core.moment import iso
from deedlog.core.task import Session, Task
from deedlog.work.lookup import above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.change import Snapshot
    from deedlog.core.value import Entity
    from deedlog.core.workflow import Workflow
    from deedlog.ports import Context

MOST_NAMED = 3


class Numbers:
    """The numbers one call was given at its first attempt; others only where an import brought them since."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._taken: dict[type[Entity], int] = {}

    def of(self, entity: type[Entity]) -> int:
        if entity not in self._taken or self._ctx.ledger.find_one(entity, str(self._taken[entity])):
            self._taken[entity] = self._ctx.ledger.next_number(entity)
        return self._taken[entity]


def opened(ctx: Context, task: Task, snapshot: Snapshot, beside: list[Session], number: int, **more: Any) -> Session:
    """A session that starts from a snapshot, `beside` those at work in the same tree."""
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
        **more,
    )


def reopened(workflow: Workflow) -> list[str]:
    """What to tell about a workflow that somebody had ended; one that ended by itself just goes on."""
    if workflow.ended_at is None or workflow.derived:
        return []
    return [f"workflow {workflow.id} had ended as {workflow.status}; it is in progress again"]


def also_at_work(ctx: Context, task: Task, snapshot: Snapshot, beside: list[Session]) -> list[str]:
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
