from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.task import Session, Task
from deedlog.testing import Clock, app_in, caller

Json = dict[str, Any]


class Desk:
    """Tasks and sessions in a folder where files change."""

    def __init__(self, app: App, tree: Path) -> None:
        self.app = app
        self.tree = tree

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.by("tester", name, **arguments)

    def by(self, actor: str, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller(actor))

    def task(self, title: str = "Add login", **more: object) -> int:
        return int(self.call("task_create", title=title, **more)["id"])

    def start(self, task: int, agent: str = "coder", **more: object) -> int:
        return int(self.call("session_start", taskId=task, agent=agent, **more)["sessionId"])

    def end(self, session: int, exit_code: int = 0, **more: object) -> Json:
        answer: Json = self.call("session_end", sessionId=session, exitCode=exit_code, **more)
        return answer

    def session(self, number: int) -> Session:
        return self.app.ledger.get(Session, str(number))

    def status(self, task: int) -> str:
        return self.app.ledger.get(Task, str(task)).status

    def reviews(self) -> dict[str, str]:
        return {row["reason"]: row["question"] for row in self.call("review_list")["reviews"]}

    def change(self, number: int, **fields: object) -> None:
        """Let a session be what only workers' sessions are."""
        self.app.call("change_session", {"number": number, "fields": fields}, caller())

    def write(self, *paths: str, text: str = "new\n") -> None:
        for path in paths:
            file = self.tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        done = subprocess.run(["git", "-C", str(self.tree), *who, *words], check=True, capture_output=True, text=True)
        return done.stdout


def lines(*texts: str) -> list[Json]:
    return [{"at": 1, "stream": "stdout", "text": text} for text in texts]


def output(desk: Desk, session: int, *texts: str, **more: object) -> Json:
    answer: Json = desk.call("session_output", sessionId=session, lines=lines(*texts), **more)
    return answer


@pytest.fixture
def desk(repo: Path, tmp_path: Path, clock: Clock) -> Desk:
    """In a git repository."""
    app = app_in(
        str(tmp_path / "store"),
        tree=str(repo),
        clock=clock,
        plugins=("tests.ops.sessions.plugin",),
        enable=["supervision"],
    )
    return Desk(app, repo)


@pytest.fixture
def without_git(app: App, tmp_path: Path) -> Desk:
    return Desk(app, tmp_path / "tree")


@pytest.fixture
def session(desk: Desk) -> int:
    """The number of a session that runs."""
    return desk.start(desk.task())


@pytest.fixture
def attempts(desk: Desk, clock: Clock) -> Desk:
    """Three attempts at task 1: two of a group `g`, one alone before them."""
    task = desk.task()
    desk.end(desk.start(task), 1)
    for number, paths in ((2, ["src/a.py", "src/b.py"]), (3, ["src/b.py", "Makefile"])):
        session = desk.start(task, sessionGroupId="g")
        assert session == number
        desk.write(*paths, text=f"{number}\n")
        clock.turn(number)
        desk.end(session, 0, dodResult="error")
    desk.change(2, usage={"tokens": 100.0, "cost": 0.25}, checks=[{"label": "tests", "passed": True}])
    return desk
