"""Whatever happens to tasks, in whatever order, what is stored about them is what follows from the rest."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.queue import OVER, queued, status_of
from deedlog.core.task import IN_PROGRESS, OPEN, RUNNING, Session, Task
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.testing import Clock
from deedlog.work.lookup import every
from tests.ops.tasks.conftest import Board

STEPS = 250


class Chance:
    """A board on which things happen by chance."""

    def __init__(self, board: Board, clock: Clock, seed: int) -> None:
        self.board = board
        self.clock = clock
        self.chance = random.Random(seed)
        self.workflows = [board.call("start_workflow", name=str(number))["workflow_id"] for number in range(2)]
        self.steps: list[Callable[[], object]] = [
            *[self.create] * 7,
            *[self.depend] * 5,
            *[self.claim] * 3,
            *[self.begin] * 4,
            *[self.end] * 3,
            self.release,
            self.cancel,
            self.reopen,
            self.delete,
            self.update,
            self.undo,
            *[self.undo_any] * 3,
            *[self.track] * 2,
            *[self.complete] * 2,
            lambda: clock.turn(self.chance.choice([1, 30, 100])),
        ]

    def one(self) -> int:
        return self.chance.randint(1, max(1, self.board.app.ledger.count(Task)))

    def some(self) -> list[int]:
        return [self.one() for _ in range(self.chance.randint(0, 3))]

    def create(self) -> None:
        where = self.chance.choice([{}, {"workflowId": self.chance.choice(self.workflows)}, {"parentId": self.one()}])
        priority = self.chance.choice(["low", "high"])
        self.board.create("x", dependsOn=self.some(), priority=priority, **where)

    def depend(self) -> None:
        self.board.call("task_depend", id=self.one(), add=self.some(), remove=self.some())

    def claim(self) -> None:
        self.board.next(leaseSeconds=60, actor=self.chance.choice(["one", "two"]))

    def begin(self) -> None:
        group = self.chance.choice(["", "", "a group"])
        self.board.start(self.one(), sessionGroupId=group, actor=self.chance.choice(["one", "two"]))

    def end(self) -> None:
        running = list(every(self.board.app.ledger, Session, {"status": RUNNING}))
        if running:
            self.board.end(self.chance.choice(running).number, exit_code=self.chance.choice([0, 0, 1]))

    def release(self) -> None:
        task = self.board.task(self.one())
        self.board.call("task_release", id=task.number, epoch=max(1, task.epoch))

    def cancel(self) -> None:
        self.board.call("task_cancel", id=self.one())

    def reopen(self) -> None:
        self.board.call("task_reopen", id=self.one())

    def delete(self) -> None:
        self.board.call("task_delete", id=self.one())

    def update(self) -> None:
        self.board.call("task_update", id=self.one(), priority=self.chance.choice(["low", "medium", "critical"]))

    def undo(self) -> None:
        self.board.call("ledger_undo")

    def undo_any(self) -> None:
        events = self.board.app.ledger.events(EventQuery(limit=60, last=True))
        self.board.call("ledger_undo", op_id=self.chance.choice(events).op_id)

    def track(self) -> None:
        self.board.call("start_task", workflow_id=self.chance.choice(self.workflows), name="x", goal="x")

    def complete(self) -> None:
        said: dict[str, Any] = {"status": self.chance.choice(["success", "failed"]), "outcome": {"summary": "x"}}
        self.board.call("complete_task", task_id=f"task-{self.one()}", **said)

    def step(self) -> str:
        """One thing that happens, or is refused in words."""
        act = self.chance.choice(self.steps)
        with suppress(Conflict, Invalid, NotFound):
            act()
        return getattr(act, "__name__", "")


def wrong(app: App) -> list[str]:
    """What is stored about tasks and does not follow from the rest."""
    tasks = {task.id: task for task in every(app.ledger, Task, {})}
    found = []
    for task in tasks.values():
        sessions = list(every(app.ledger, Session, {"task_id": task.id}))
        needed = [tasks[task_id] for task_id in task.depends_on if task_id in tasks]
        checks = {
            "status": task.status == status_of(task, sessions),
            "waiting": task.waiting == sum(other.status not in OVER for other in needed),
            "queue": task == queued(task),
            "depends_on": len(needed) == len(task.depends_on) and all(task.id in other.blocks for other in needed),
            "blocks": all(task.id in tasks[other].depends_on for other in task.blocks),
            "holder": bool(task.holder) == bool(task.lease_until),
        }
        checks["circle"] = task.id not in _needed(tasks, task)
        found += [f"{task.ref}: {name}" for name, right in checks.items() if not right]
    ended = [workflow for workflow in every(app.ledger, Workflow, {}) if workflow.derived]
    is_open = {task.workflow_id for task in tasks.values() if task.status in (OPEN, IN_PROGRESS)}
    return found + [f"{workflow.name}: ended" for workflow in ended if workflow.id in is_open]


def _needed(tasks: dict[str, Task], task: Task) -> set[str]:
    """All that has to be done before a task."""
    found: set[str] = set()
    left = [*task.depends_on]
    while left:
        task_id = left.pop()
        if task_id not in found and task_id in tasks:
            found.add(task_id)
            left += tasks[task_id].depends_on
    return found


@pytest.mark.proves("task:status:derived", "task:next:order")
@pytest.mark.parametrize("seed", range(4))
def test_what_is_stored_follows_from_what_happened(board: Board, clock: Clock, seed: int) -> None:
    chance = Chance(board, clock, seed)
    done = []
    for _ in range(STEPS):
        done.append(chance.step())
        assert wrong(board.app) == [], done[-5:]
    assert len(set(done)) > 8
