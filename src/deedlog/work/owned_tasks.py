"""Tasks that were made for a run alone: what it does not do any more, nobody else shall do either."""

from __future__ import annotations

from deedlog.core.queue import OVER, released
from deedlog.core.run import CANCELLED, DONE, FAILED, SKIPPED
from deedlog.core.task import COMPLETED, Task
from deedlog.work.board import waiting_anew, workflows_after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.core.run import Node, Run
    from deedlog.core.task import Session
    from deedlog.core.value import Entity
    from deedlog.ports import Context

OWNED = "owned"  # an option of such runs
UNCHANGED_OK = "unchanged_ok"  # an option of runs whose workers may only answer
NOT_NEEDED = "{run} did not need it"
OTHERWISE = "{run} succeeded without it"


def given_up(ctx: Context, run: Run, nodes: Iterable[Node]) -> list[Entity]:
    """The tasks of these nodes that are over with them, and what changes with that; to be committed together.

    A run that succeeds although one of its tasks failed did not need that one.
    """
    if not run.options.get(OWNED):
        return []
    reasons = {SKIPPED: NOT_NEEDED, CANCELLED: NOT_NEEDED} | ({FAILED: OTHERWISE} if run.state == DONE else {})
    tasks = []
    for node in nodes:
        task = ctx.ledger.find_one(Task, node.task_id) if node.task_id and node.state in reasons else None
        if task and task.status not in OVER:
            tasks.append(_cancelled(ctx, task, reasons[node.state].format(run=run.id)))
    if not tasks:
        return []
    return [*tasks, *waiting_anew(ctx, tasks), *workflows_after(ctx, tasks)]


def _cancelled(ctx: Context, task: Task, reason: str) -> Task:
    return released(task.replace(status=CANCELLED, awaits="", cancelled=True, cancel_reason=reason, updated_at=ctx.now))


def is_unchanged(session: Session) -> bool:
    """Whether it is certain that a worker changed no file."""
    changed = session.changes_unknown or session.violations or session.files or any(session.counts.values())
    return session.status == COMPLETED and not changed
