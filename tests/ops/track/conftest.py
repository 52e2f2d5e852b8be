from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.testing import Clock
from tests.conftest import Call
from tests.ops.track.naive import NaiveSnapshots


class Work:
    """A workflow in a folder where tasks change files."""

    def __init__(self, call: Call, tree: Path, snapshots: NaiveSnapshots) -> None:
        self.call = call
        self.tree = tree
        self.snapshots = snapshots
        self.workflow_id = str(call("start_workflow", name="Add authentication")["workflow_id"])

    def write(self, *paths: str, text: str = "new\n") -> None:
        for path in paths:
            file = self.tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def start(self, name: str = "a task", parent: str | None = None, areas: list[str] | None = None) -> str:
        arguments = {"workflow_id": self.workflow_id, "name": name, "goal": "g", "parent_task_id": parent}
        return str(self.call("start_task", **arguments, areas=areas)["task_id"])

    def complete(self, task_id: str, status: str = "success", **more: object) -> dict[str, object]:
        arguments = {"task_id": task_id, "status": status, "outcome": {"summary": "done"}, **more}
        answer: dict[str, object] = self.call("complete_task", **arguments)
        return answer


@pytest.fixture
def work(app: App, call: Call, tmp_path: Path, clock: Clock) -> Work:
    snapshots = NaiveSnapshots(tmp_path / "tree", clock)
    app._open_snapshots = lambda: snapshots
    return Work(call, tmp_path / "tree", snapshots)
