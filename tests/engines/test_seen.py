"""A write that rests on what was read: it is refused when more was recorded meanwhile, also what was not there."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.entry import Op
from deedlog.core.errors import Overtaken
from deedlog.core.task import Session, Task
from deedlog.core.workflow import Workflow
from deedlog.ports import Seen
from deedlog.store import change
from deedlog.store.database import Transaction
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine

WAIT = 20


def an_op(number: int) -> Op:
    return Op(op_id=f"op-{number}", operation="test", effect="write", actor="a", at=number)


def a_task(number: int, workflow_id: str = "wf-1") -> Task:
    return Task(id=f"task-uid-{number}", number=number, workflow_id=workflow_id, name="n", goal="g", created_at=number)


@pytest.mark.proves("ledger:write:seen")
def test_what_was_recorded_about_the_subject_since_refuses_the_write(engine: Engine) -> None:
    ledger = engine.ledger()
    ledger.write(an_op(1), [Workflow(id="wf-1", name="n", created_at=1)])
    seen = Seen(subject="workflow://wf-1", seq=ledger.head())
    engine.ledger().write(an_op(2), [a_task(1)])
    with pytest.raises(Overtaken, match="something about workflow://wf-1 was recorded since"):
        ledger.write(an_op(3), [a_task(2)], seen=seen)
    assert ledger.find_one(Task, "task-uid-2") is None
    ledger.write(an_op(4), [a_task(2)], seen=Seen(subject="workflow://wf-1", seq=ledger.head()))
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:write:seen")
def test_a_write_can_rest_on_several_subjects(engine: Engine) -> None:
    ledger = engine.ledger()
    seen = Seen(subject="workflow://wf-1", seq=ledger.head(), more=["workflow://wf-2", "workflow://wf-3"])
    ledger.write(an_op(1), [a_task(1, "wf-3")])
    with pytest.raises(Overtaken, match="something about workflow://wf-3 was recorded since"):
        ledger.write(an_op(2), [a_task(2, "wf-1")], seen=seen)
    ledger.write(an_op(3), [a_task(2, "wf-1")], seen=seen.replace(seq=ledger.head()))


@pytest.mark.proves("ledger:write:seen")
def test_what_was_recorded_about_others_does_not_matter(engine: Engine) -> None:
    ledger = engine.ledger()
    seen = Seen(subject="workflow://wf-1", seq=ledger.head())
    ledger.write(an_op(1), [a_task(1, "wf-2")])
    ledger.write(an_op(2), [a_task(2, "wf-1")], seen=seen)
    assert ledger.get(Task, "2").workflow_id == "wf-1"


@pytest.mark.proves("ledger:write:seen")
def test_a_writer_that_comes_during_another_s_transaction_sees_what_that_added(engine: Engine) -> None:
    first, second = engine.ledger(), engine.ledger()
    seen = Seen(subject="workflow://wf-1", seq=first.head())
    inside, go_on = threading.Event(), threading.Event()

    def slow(transaction: Transaction) -> Op:
        stored = change.write(transaction, first.project, an_op(1), [a_task(1)])
        inside.set()
        assert go_on.wait(WAIT)
        return stored

    def late() -> str:
        try:
            return second.write(an_op(2), [a_task(2)], seen=seen).op_id
        except Overtaken:
            return "overtaken"

    with ThreadPoolExecutor(2) as threads:
        winner = threads.submit(first.database.write, slow)
        assert inside.wait(WAIT)
        loser = threads.submit(late)
        go_on.set()
        assert winner.result(WAIT).op_id == "op-1"
        assert loser.result(WAIT) == "overtaken"


@pytest.mark.proves("store:contract:both")
def test_things_are_found_from_the_oldest_page_by_page(engine: Engine) -> None:
    ledger = engine.ledger()
    for number in range(1, 8):
        ledger.write(an_op(number), [a_task(number)])
    seen: list[int] = []
    page = ledger.find(Task, {"workflow_id": "wf-1"}, limit=3, oldest=True)
    while page:
        seen += [task.number for task in page]
        page = ledger.find(Task, limit=3, before=ledger.sort_key(page[-1]), oldest=True)
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert ledger.find(Session, limit=3, oldest=True) == []


@pytest.mark.proves("track:workflow:ends-derived")
def test_a_workflow_whose_tasks_all_end_at_once_has_ended(engine: Engine, tmp_path: Path) -> None:
    """Every writer has a connection of its own, as every server has."""
    app = engine.app()
    workflow_id = app.call("start_workflow", {"name": "n"}, caller())["workflow_id"]
    count = 6
    for number in range(1, count + 1):
        task = a_task(number, workflow_id)
        session = Session(
            id=f"session-uid-{number}",
            number=number,
            task_id=task.id,
            workflow_id=workflow_id,
            actor="t",
            tree=str(tmp_path / "gone"),
            snapshot_id="snap",
            snapshot_type="git",
            base="x",
            snapshot_at=1,
            started_at=1,
        )
        app.ledger.write(an_op(number), [task, session])
    ready = threading.Barrier(count, timeout=WAIT)

    def complete(number: int) -> str:
        own = app_on(engine.open(), tree=str(tmp_path / "gone"))
        arguments = {
            "task_id": f"task-{number}",
            "status": "success",
            "outcome": {"summary": "s"},
            "changes_unknown": True,
        }
        ready.wait()
        return str(own.call("complete_task", arguments, caller())["task_id"])

    with ThreadPoolExecutor(count) as threads:
        done = list(threads.map(complete, range(1, count + 1)))
    assert done == [f"task-{number}" for number in range(1, count + 1)]
    assert app.call("workflow_get", {"workflow_id": workflow_id}, caller())["status"] == "completed"
