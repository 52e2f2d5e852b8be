from __future__ import annotations

from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.core.task import Session, Task
from deedlog.testing import caller

Json = dict[str, Any]


class Board:
    """Tasks, and who calls."""

    def __init__(self, app: App) -> None:
        self.app = app

    def call(self, name: str, /, *, actor: str = "tester", **arguments: Any) -> Any:
        return self.app.call(name, arguments, caller(actor))

    def create(self, title: str = "a task", **more: Any) -> int:
        return int(self.call("task_create", title=title, **more)["id"])

    def get(self, number: int) -> Json:
        found: Json = self.call("task_get", id=number)
        return found

    def next(self, *, actor: str = "tester", **arguments: Any) -> Json:
        found: Json = self.call("task_next", actor=actor, **arguments)
        return found

    def start(self, number: int, **more: Any) -> int:
        return int(self.call("session_start", **{"taskId": number, "agent": "coder", **more})["sessionId"])

    def end(self, session: int, exit_code: int = 0, **more: Any) -> Json:
        ended: Json = self.call("session_end", sessionId=session, exitCode=exit_code, **more)
        return ended

    def refused(self, name: str, /, **arguments: Any) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            self.call(name, **arguments)
        return refusal.value

    def task(self, number: int) -> Task:
        return self.app.ledger.get(Task, str(number))

    def session(self, number: int) -> Session:
        return self.app.ledger.get(Session, str(number))


@pytest.fixture
def board(app: App) -> Board:
    return Board(app)
