"""What else changes when a task does: its status, its place in the queue, those that wait for it, its workflow."""

from __future__ import annotations

from deedlog.core.queue import OVER, derived, is_held, queued, released
from deedlog.core.task import FAILED, IN_PROGRESS, OPEN, RUNNING, Session, Task
from deedlog.core.value import uris
from deedlog.core.workflow import Workflow, end_with_its_tasks, reopen
from deedlog.ports import Gone, Seen
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.core.value import Entity
    from deedlog.ports import Context

UNFINISHED = (IN_PROGRESS, OPEN)


def with_sessions(ctx: Context, task: Task, *changed: Session) -> list[Entity]:
    """The task as it is once the `changed` sessions are, and what changes with it; to be committed together.

    Nothing, where nothing changed that a task follows from.
    Whoever has claimed it holds it as long as a session of it runs; a claim that has lapsed ends when somebody
    else begins to work on it.
    """
    before = {session.id: session for session in every(ctx.ledger, Session, {"task_id": task.id})}
    sessions = before | {session.id: session for session in changed}
    now = derived(task, sessions.values()).replace(updated_at=ctx.now)
    runs = any(session.status == RUNNING for session in sessions.values())
    now = now.replace(retry=now.retry and not runs)
    keeps = runs and not (task.holder and not is_held(task, ctx.now) and _began_by_another(task, changed))
    now = queued(now) if keeps else released(now)
    if now.replace(updated_at=task.updated_at) == task and all(_follows_alike(before, session) for session in changed):
        return []
    return with_dependents(ctx, now)


def _follows_alike(before: Mapping[str, Session], session: Session) -> bool:
    """Whether what a task follows from is as it was: else it is written, so that calls that meet see each other."""
    known = before.get(session.id)
    parts = ("status", "dod_result", "worktree", "sent_back")
    return known is not None and all(known.fields()[name] == session.fields()[name] for name in parts)


def _began_by_another(task: Task, changed: Sequence[Session]) -> bool:
    return any(session.version == 0 and session.actor != task.holder for session in changed)


def with_dependents(ctx: Context, task: Task) -> list[Entity]:
    """A task whose status changed, those whose place in the queue follows from it, its workflow where that ends."""
    return [task, *waiting_anew(ctx, [task]), *_workflow(ctx, task)]


def resting_on(task: Task, seq: int, *more: str) -> Seen | None:
    """What the board rests on beside what is written: nothing of the task's workflow, nor of `more`, came after `seq`.

    Else two that end at once would each take the other for open, and a workflow would never end.
    """
    subjects = [*uris(workflow=task.workflow_id), *more]
    return Seen(subject=subjects[0], seq=seq, more=subjects[1:]) if subjects else None


def waiting_anew(ctx: Context, values: Sequence[object]) -> list[Task]:
    """The tasks that wait for more or for fewer others once tasks among `values` are committed, without those."""
    tasks = {value.id: value for value in values if isinstance(value, Task)}
    named = {task_id for task in tasks.values() for task_id in task.blocks if task_id not in tasks}
    found = [other for task_id in sorted(named) if (other := ctx.ledger.find_one(Task, task_id))]
    counted = [(other, unfinished(ctx, other.depends_on, *tasks.values())) for other in found]
    return [queued(other.replace(waiting=count)) for other, count in counted if count != other.waiting]


def unfinished(ctx: Context, depends_on: Sequence[str], *known: Task) -> int:
    """How many of these tasks are not over; `known` are some as they are about to be."""
    tasks = {task.id: task for task in known}
    found = (tasks.get(task_id) or ctx.ledger.find_one(Task, task_id) for task_id in depends_on)
    return sum(task is not None and task.status not in OVER for task in found)


def _workflow(ctx: Context, task: Task) -> list[Workflow]:
    """The workflow, if it ends because this was the last of its tasks that were not over, or goes on."""
    before = ctx.ledger.find_one(Workflow, task.workflow_id) if task.workflow_id else None
    if before is None:
        return []
    workflow = reopen(before) if task.status in UNFINISHED else _ended(ctx, before, {task.id: task})
    return [] if workflow == before else [workflow]


def _ended(ctx: Context, workflow: Workflow, tasks: Mapping[str, Task | None]) -> Workflow:
    """The workflow once these of its `tasks` are as they are here, or gone: it has ended if no other is open."""
    if any(_others(ctx, workflow, tasks, status=status) for status in UNFINISHED):
        return workflow
    failed = any(task and task.status == FAILED for task in tasks.values())
    failed = failed or _others(ctx, workflow, tasks, status=FAILED)
    return end_with_its_tasks(workflow, failed=failed, now=ctx.now)


def _others(ctx: Context, workflow: Workflow, tasks: Mapping[str, Task | None], **where: str) -> bool:
    """Whether the workflow has such a task beside `tasks`."""
    found = ctx.ledger.find(Task, {"workflow_id": workflow.id, **where}, limit=len(tasks) + 1)
    return any(other.id not in tasks for other in found)


def workflows_after(ctx: Context, values: Sequence[Entity | Gone]) -> list[Workflow]:
    """The workflows that end or go on once tasks among `values` come back, change or go.

    One that somebody has ended stays as it was told.
    """
    stored = {value.id: value for value in values if isinstance(value, Workflow)}
    concerned: dict[str, dict[str, Task | None]] = {}
    for value in values:
        task = value.entity if isinstance(value, Gone) else value
        if isinstance(task, Task) and task.workflow_id:
            concerned.setdefault(task.workflow_id, {})[task.id] = None if isinstance(value, Gone) else task
    found = []
    for workflow_id, tasks in concerned.items():
        before = stored.get(workflow_id) or ctx.ledger.find_one(Workflow, workflow_id)
        if before and (after := _derived(ctx, before, tasks)) != before:
            found.append(after)
    return found


def _derived(ctx: Context, before: Workflow, tasks: Mapping[str, Task | None]) -> Workflow:
    if before.ended_at is not None and not before.derived:
        return before
    left = [task for task in tasks.values() if task]
    if any(task.status in UNFINISHED for task in left):
        return reopen(before)
    if not left and not _others(ctx, before, tasks):
        return before  # it has no task at all: nothing was done yet
    after = _ended(ctx, reopen(before), tasks)
    return before if after.status == before.status else after
