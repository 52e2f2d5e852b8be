"""An import from another tool, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deedlog.core.task import Session, Task
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine

TASKS = [
    {
        "origin": f"beads:bd-{number}",
        "name": f"Task {number} 日本語",
        "depends_on": [f"beads:bd-{number - 1}"] if number else [],
        "state": "done" if number % 3 == 0 else "open",
        "ended_at": 1_700_000_000_000_000,
    }
    for number in range(60)
]


@pytest.mark.proves("import:again:no-doubles", "import:undo:whole")
def test_imports_of_several_servers_at_once_store_everything_once(engine: Engine) -> None:
    apps = [app_on(engine.open(), enable=["supervision"]) for _ in range(4)]

    def bring(number: int) -> Any:
        return apps[number].call("task_import", {"tool": "beads", "tasks": TASKS, "memories": []}, caller(f"a{number}"))

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(bring, range(4)))
    assert sorted(answer["created"] for answer in answers) == [0, 0, 0, 60]
    ledger = engine.ledger()
    stored = ledger.find(Task, limit=100)
    assert len({task.number for task in stored}) == len(stored) == 60
    assert len(ledger.find(Session, limit=100)) == 20
    assert engine.upkeep().verify() == []
    first = max(range(4), key=lambda number: answers[number]["created"])
    assert apps[first].call("ledger_undo", {}, caller(f"a{first}"))["count"] == 80
    assert ledger.find(Task, limit=1) == []
