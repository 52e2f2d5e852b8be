"""How many there are of what, and finding things by a text in them: the same on each database."""

from __future__ import annotations

import pytest

from deedlog.core.entry import Op
from deedlog.core.task import Task
from tests.engines.conftest import Engine


def stored(engine: Engine, *tasks: Task) -> None:
    op = Op(op_id="op-1", operation="test", effect="write", actor="a", at=1)
    engine.ledger().write(op, tasks)


def a_task(number: int, **fields: object) -> Task:
    return Task(id=f"t{number}", number=number, name=f"task {number}", created_at=number, **fields)  # type: ignore[arg-type]


@pytest.mark.proves("store:contract:both")
def test_a_tally_counts_what_is_in_a_column(engine: Engine) -> None:
    stored(
        engine,
        a_task(1, status="open", workflow_id="w"),
        a_task(2, status="done", workflow_id="w"),
        a_task(3, status="open", workflow_id="w"),
        a_task(4, status="open"),
    )
    ledger = engine.ledger()
    assert ledger.tally(Task, "status") == {"open": 3, "done": 1}
    assert ledger.tally(Task, "status", {"workflow_id": "w"}) == {"open": 2, "done": 1}
    assert ledger.tally(Task, "status", {"workflow_id": "none"}) == {}


@pytest.mark.proves("store:contract:both")
@pytest.mark.parametrize("label", ["backend", "100%", "a_b", "wow!", 'so "called"', "back\\slash", "日本語", "?"])
def test_things_are_found_by_a_text_they_hold(engine: Engine, label: str) -> None:
    stored(
        engine,
        a_task(1, labels=["other", label]),
        a_task(2, labels=[f"{label}s", "axb", "1000"]),
        a_task(3, labels=[label], status="done"),
    )
    ledger = engine.ledger()
    assert [task.number for task in ledger.find(Task, limit=9, holding=[label])] == [3, 1]
    assert [task.number for task in ledger.find(Task, {"status": "done"}, limit=9, holding=[label])] == [3]
    assert [task.number for task in ledger.find(Task, limit=9, holding=[label, "other"])] == [1]
