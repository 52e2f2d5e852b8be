"""Tasks and sessions written straight into stores, as the operations of the tracker leave them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

from deedlog.core.entry import Op
from deedlog.core.errors import Overtaken
from deedlog.core.task import Session, Task
from deedlog.core.uid import uid
from deedlog.core.value import Entity
from deedlog.ports import Gone, Ledger

Result = TypeVar("Result")
MOMENTS = count(1_736_935_200_000_000)  # no two things have the same id, whichever store they are made in


def a_uid(prefix: str) -> str:
    return uid(prefix, next(MOMENTS), 7)


def commit(ledger: Ledger, *values: Entity | Gone, **said: Any) -> Op:
    given = {"operation": "test", "effect": "write", "actor": "tester", "at": next(MOMENTS), **said}
    return ledger.write(Op(op_id=a_uid("op"), **given), values)


def a_task(number: int, **fields: Any) -> Task:
    given = {"workflow_id": "wf-1", "name": "a task", "goal": "a goal", "created_at": next(MOMENTS), **fields}
    return Task(id=a_uid("task"), number=number, **given)


def a_session(number: int, **fields: Any) -> Session:
    given = {"task_id": "task-x", "workflow_id": "wf-1", "actor": "tester", "tree": "t", "started_at": next(MOMENTS)}
    snapshot = {"snapshot_id": "s", "snapshot_type": "git", "base": "b", "snapshot_at": next(MOMENTS)}
    return Session(id=a_uid("session"), number=number, **{**given, **snapshot, **fields})


def begun(ledger: Ledger, name: str = "a task") -> Task:
    """A task with a running session, stored."""
    task = a_task(ledger.next_number(Task), name=name)
    commit(ledger, task, a_session(ledger.next_number(Session), task_id=task.id))
    return ledger.get(Task, task.id)


def numbers(ledger: Ledger, kind: type[Entity]) -> dict[str, int]:
    """The number of everything of one kind, by id."""
    return {one.id: one.fields()["number"] for one in ledger.find(kind, limit=1_000)}


def insistent(attempt: Callable[[], Result]) -> Result:
    """What an attempt gives, repeated as long as somebody else is faster."""
    while True:
        try:
            return attempt()
        except Overtaken:
            continue
