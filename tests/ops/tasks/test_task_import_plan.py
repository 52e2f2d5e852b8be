from __future__ import annotations

from pathlib import Path

from deedlog.testing import app_in, caller


def test_it_tells_what_would_come_and_writes_nothing(tmp_path: Path) -> None:
    app = app_in(str(tmp_path / "store"), tree=str(tmp_path), enable=["supervision"])
    tasks = [{"origin": "beads:bd-1", "name": "One", "state": "done"}]
    answer = app.call("task_import_plan", {"tool": "beads", "tasks": tasks, "memories": []}, caller())
    assert answer["tasks"] == [{"task": "new", "title": "One", "status": "done", "origin": "beads:bd-1"}]
    assert (answer["created"], app.ledger.head()) == (1, 0)
