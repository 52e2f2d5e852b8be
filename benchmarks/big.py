"""A store as large as a busy project's after years: `python -m benchmarks.big FOLDER` makes one in a new repository.

10,000 tasks in 250 workflows, their sessions and what was said in them; most of the 1,000,000 events are what
workers printed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

from benchmarks.measure import repository
from deedlog.core.entry import Op
from deedlog.core.output import Output
from deedlog.core.queue import derived, queued
from deedlog.core.remark import Decision, Milestone, Review
from deedlog.core.task import COMPLETED, FAILED, PRIORITIES, RUNNING, Session, Task
from deedlog.core.uid import uid
from deedlog.core.value import Entity
from deedlog.core.workflow import Workflow, end_with_its_tasks
from deedlog.store import change
from deedlog.store.database import Transaction
from deedlog.store.number import take_number
from deedlog.store.sqlite import Sqlite

TASKS, EVENTS = 10_000, 1_000_000
IN_WORKFLOW = 40  # tasks
AT_ONCE = 200  # ops of a transaction
SECOND = 1_000_000
MINUTE = 60 * SECOND
START = int(time.time()) * SECOND - (TASKS + 20) * MINUTE  # a task a minute, the last of them just now
AGENTS = ("coder", "reviewer", "tester", "writer", "")
AREAS = ("auth", "billing", "search", "docs", "ui", "infra")
LABELS = ("backend", "frontend", "bug", "chore", "security", "speed")
UNFINISHED = 800  # the last tasks: some open, some waiting for others, a few at work
Change = tuple[str, list[Entity]]  # by which operation, to what


def make(folder: Path, tasks: int = TASKS, events: int = EVENTS) -> Path:
    """The repository with that store."""
    repository(folder)
    database = Sqlite(str(folder / ".git/deedlog"))
    numbers = count()
    rest = events
    for batch in _batches(_story(tasks)):
        rest -= database.write(partial(_write, database.project, batch, numbers))
    worker = _session(Task(id="t-0", number=1, name="x", created_at=START), 0, COMPLETED)
    for batch in _batches(_printed(worker, rest)):
        database.write(partial(_write, database.project, batch, numbers))
    for kind in (Task, Session):
        database.write(lambda transaction, kind=kind: take_number(transaction, database.project, kind, tasks))  # type: ignore[misc]
    database.close()
    return folder


def _batches(changes: Iterator[Change]) -> Iterator[list[Change]]:
    while batch := list(islice(changes, AT_ONCE)):
        yield batch


def _write(project: str, batch: list[Change], numbers: Iterator[int], transaction: Transaction) -> int:
    for operation, values in batch:
        number = next(numbers)
        op = Op(
            op_id=uid("op", START + number, number),
            operation=operation,
            effect="write",
            actor=AGENTS[number % 4],
            at=START + number * SECOND // 4,
        )
        change.write(transaction, project, op, values)
    return sum(len(values) for _, values in batch)


def _story(tasks: int) -> Iterator[Change]:
    workflow = _workflow(0)
    for number in range(1, tasks + 1):
        if number % IN_WORKFLOW == 1:
            workflow = _workflow(number)
            yield "start_workflow", [workflow]
        task = _task(workflow, number)
        yield "task_create", [task]
        if number > tasks - UNFINISHED and number % 8:
            continue
        yield from _worked_on(task.replace(version=1), running=number > tasks - UNFINISHED and number % 16 == 0)
        if number % IN_WORKFLOW == 0 and number <= tasks - UNFINISHED:
            ended = end_with_its_tasks(workflow.replace(version=1), failed=number % 3 == 0, now=task.created_at)
            yield "complete_task", [ended]


def _workflow(number: int) -> Workflow:
    at = START + number * MINUTE
    return Workflow(id=uid("wf", at, number), name=f"Milestone {number}: what customers asked for", created_at=at)


def _task(workflow: Workflow, number: int) -> Task:
    at = START + number * MINUTE
    blocked = number % IN_WORKFLOW > IN_WORKFLOW // 2
    task = Task(
        id=f"t-{number}",
        number=number,
        workflow_id=workflow.id,
        name=f"Make part {number} of {AREAS[number % 6]} do what was promised",
        goal="What it is about, in a sentence of ordinary length for such a thing, with its reasons.",
        areas=[AREAS[number % 6]],
        labels=[LABELS[number % 6], LABELS[number // 6 % 6]],
        priority=PRIORITIES[number % 4],
        assignee=AGENTS[number % 5],
        status="open",
        depends_on=[f"t-{number - 1}"] if blocked else [],
        waiting=int(blocked),
        created_at=at,
        updated_at=at,
    )
    return queued(task)


def _session(task: Task, number: int, status: str) -> Session:
    ended: dict[str, Any] = (
        {} if status == RUNNING else {"ended_at": task.created_at + 600 * SECOND, "result": "success"}
    )
    if status == FAILED:
        ended["result"] = "failed"
    return Session(
        id=f"s-{task.number}-{number}",
        number=2 * task.number + number,
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor="claude-code",
        agent=AGENTS[task.number % 4],
        status=status,
        started_at=task.created_at + SECOND,
        counts={"modified": 3, "added": 1, "lines_added": task.number % 300, "lines_deleted": task.number % 70},
        files=[f"src/{AREAS[task.number % 6]}/part{task.number}.py"],
        outcome={"summary": "It does what was promised, and the tests say so."},
        **ended,
    )


def _worked_on(task: Task, *, running: bool) -> Iterator[Change]:
    status = RUNNING if running else FAILED if task.number % 9 == 0 else COMPLETED
    session = _session(task, 0, status)
    begun = session.replace(status=RUNNING, ended_at=None, result="", outcome={}, counts={})
    at_work = queued(derived(task.replace(updated_at=session.started_at), [begun]))
    yield "session_start", [begun, at_work]
    for step in (25, 60):
        yield "log_milestone", [_remark(Milestone, task, step, message=f"{step} percent of it works", progress=step)]
    yield (
        "log_decision",
        [_remark(Decision, task, 1, category="approach", question="Which way?", chosen="This", reasoning="Less code")],
    )
    if not running:
        over = queued(derived(at_work.replace(version=2, updated_at=session.ended_at or 0), [session]))
        yield "complete_task", [session.replace(version=1), over]
    if task.number % 100 == 0:
        yield (
            "log_issue",
            [
                _remark(
                    Review,
                    task,
                    2,
                    about=task.uri,
                    reason="issue",
                    question=f"Is part {task.number} good enough to ship?",
                )
            ],
        )


def _remark(kind: type[Milestone | Decision | Review], task: Task, number: int, **said: Any) -> Entity:
    return kind(
        id=f"{kind.kind}-{task.number}-{number}",
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor="claude-code",
        created_at=task.created_at + (2 + number) * SECOND,
        **said,
    )


def _printed(session: Session, events: int) -> Iterator[Change]:
    """What workers printed, a hundred of them at a time."""
    of_each = 1_000
    for first in range(0, events, 50):
        owner = first // of_each * 7 % TASKS + 1
        yield (
            "worker_supervise",
            [
                Output(
                    id=f"o-{number}",
                    session_id=f"s-{owner}-0",
                    task_id=f"t-{owner}",
                    first=number % of_each + 1,
                    lines=[{"at": session.started_at, "stream": "stdout", "text": f"line {number} of what it prints"}],
                )
                for number in range(first, min(first + 50, events))
            ],
        )


if __name__ == "__main__":
    make(Path(sys.argv[1]), *map(int, sys.argv[2:]))
