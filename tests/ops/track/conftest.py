from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock, app_in, caller

Json = dict[str, Any]


class Work:
    """A workflow in a folder where tasks change files."""

    def __init__(self, app: App, tree: Path) -> None:
        self.app = app
        self.tree = tree
        self.workflow_id: str = self.call("start_workflow", name="Add authentication")["workflow_id"]

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller())

    def write(self, *paths: str, text: str = "new\n") -> None:
        for path in paths:
            file = self.tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        done = subprocess.run(["git", "-C", str(self.tree), *who, *words], check=True, capture_output=True, text=True)
        return done.stdout

    def start(self, name: str = "a task", *, parent: str | None = None, areas: list[str] | None = None) -> str:
        arguments = {"workflow_id": self.workflow_id, "name": name, "goal": "g", "parent_task_id": parent}
        return str(self.call("start_task", **arguments, areas=areas)["task_id"])

    def complete(self, task_id: str, status: str = "success", **more: object) -> Json:
        arguments = {"task_id": task_id, "status": status, "outcome": {"summary": "done"}, **more}
        answer: Json = self.call("complete_task", **arguments)
        return answer

    def snapshots(self) -> list[str]:
        """The snapshots that are kept."""
        kept = [path for path in (self.tree.parent / "snapshots").rglob("snapshots/*") if path.is_file()]
        return sorted(path.name for path in kept)


class HasApp(Protocol):
    app: App


def at_once(work: HasApp, act: Callable[[int], object]) -> list[object]:
    """What two calls return or refuse that have both read everything when the first of them writes."""
    both_have_read = threading.Barrier(2)
    ledger = work.app.ledger
    write = ledger.write
    outcomes: list[object] = [None, None]
    here = threading.local()

    def late_write(*arguments: Any, **more: Any) -> Any:
        if not hasattr(here, "waited"):
            here.waited = True
            both_have_read.wait(timeout=20)
        return write(*arguments, **more)

    def run(number: int) -> None:
        try:
            outcomes[number] = act(number)
        except DeedlogError as refusal:
            outcomes[number] = refusal

    ledger.write = late_write  # type: ignore[method-assign]
    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    ledger.write = write  # type: ignore[method-assign]
    return outcomes


@pytest.fixture
def work(app: App, tmp_path: Path) -> Work:
    """In a folder without git."""
    return Work(app, tmp_path / "tree")


@pytest.fixture
def in_git(repo: Path, tmp_path: Path, clock: Clock) -> Work:
    return Work(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)
