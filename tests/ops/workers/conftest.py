from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap, settings
from deedlog.app import App
from deedlog.core.errors import Conflict
from deedlog.core.task import Session
from deedlog.testing import caller
from tests.approving import approve
from tests.stand_in_agent import command

COMMAND = command("{prompt_file}")
WAIT = 120
Json = dict[str, Any]


def own_folder() -> dict[str, str]:
    """Where the user's own configuration is, for supervisors too; see the fixture of all operations."""
    return {"XDG_CONFIG_HOME": os.environ["XDG_CONFIG_HOME"]}


class Shop:
    """A project whose workers do what the description of their task says; see `tests/stand_in_agent.py`."""

    def __init__(self, repo: Path, **flags: object) -> None:
        self.repo = repo
        self.app: App
        self.git("config", "user.name", "t")
        self.git("config", "user.email", "t@example.invalid")
        self.open(**flags)

    def open(self, **flags: object) -> None:
        """As another process would."""
        configured = settings.load(str(self.repo), own_folder(), {"enable": ["supervision"], **flags})
        self.app = bootstrap.build(configured)

    def configure(self, **settings: Any) -> None:
        """For supervisors too, which are processes of their own."""
        file = self.repo / ".deedlog/config.toml"
        file.parent.mkdir(exist_ok=True)
        if "enable" in settings:  # what is for programs of ours alone no file of a project switches on
            settings["enable"] = [name for name in settings["enable"] if name != "supervision"]
        file.write_text("".join(f"{name} = {value}\n" for name, value in settings.items()))
        approve(self.repo, own_folder())
        self.open()

    def enforce(self, name: str) -> None:
        """Let the machine have found out that this is what keeps workers in their scope."""
        from deedlog.workers import enforcement  # what it remembers, it believes

        folder = self.repo / ".git/deedlog/workers"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "enforcement").write_text(f"{enforcement._machine()}\n{name}\n")

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller())

    def git(self, *words: str, tree: str = "") -> str:
        done = subprocess.run(["git", *words], cwd=self.repo / tree, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def agent(self, name: str = "hand", **more: object) -> str:
        scope = {"read": ["**/*"], "write": ["**/*"], "exclude": []}
        self.call("agent_create", **{"name": name, "command": COMMAND, "scope": scope, **more})
        return name

    def task(self, *lines: str, title: str = "a task", **more: Any) -> int:
        description = "\n".join(f"do: {line}" for line in lines)
        return int(self.call("task_create", title=title, description=description, assignee="hand", **more)["id"])

    def run(self, task_id: int, **more: object) -> Json:
        answer: Json = self.call("worker_run", taskId=task_id, **more)
        return answer

    def ended(self, *lines: str, **more: Any) -> Json:
        """A session that has done this."""
        number = self.run(self.task(*lines, **more))["sessionId"]
        return self.wait(number)[0]

    def wait(self, *numbers: int) -> list[Json]:
        answer = self.call("worker_wait", sessionIds=list(numbers), timeoutSeconds=WAIT)
        assert answer["done"], answer
        found: list[Json] = answer["sessions"]
        return found

    def session(self, number: int) -> Session:
        return self.app.ledger.get(Session, str(number))

    def status(self, task_id: int) -> str:
        return str(self.call("task_get", id=task_id)["status"])

    def reviews(self) -> list[str]:
        return [row["reason"] for row in self.call("review_list")["reviews"]]

    def files(self, branch: str = "main") -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", branch).splitlines()

    def trees(self) -> list[str]:
        folder = self.repo / ".deedlog/worktrees"
        return sorted(path.name for path in folder.iterdir() if path.name.startswith("task-"))

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads/").splitlines()

    def said(self, number: int) -> list[str]:
        """What a worker printed."""
        text: str = self.call("session_log", sessionId=number)["text"]
        return text.splitlines()

    def pipe(self, name: str = "pipe") -> Path:
        path = self.repo / ".git" / name  # a worker does not see the folder for temporary files around the project
        os.mkfifo(path)
        return path


def still_there(session: Session) -> list[int]:
    """The processes that belong to a worker: in its group, or in its work tree. One that is dead is not there."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
            inside = os.readlink(folder / "cwd") == session.tree
        except OSError:
            continue
        if words[0] != "Z" and (inside or int(words[2]) == session.leader):
            found.append(int(folder.name))
    return found


@pytest.fixture
def shop(repo: Path) -> Iterator[Shop]:
    shop = Shop(repo)
    shop.agent()
    yield shop
    rows = shop.call("worker_list")["workers"]
    for row in sorted((row for row in rows if row["status"] in ("running", "queued")), key=lambda row: row["status"]):
        try:
            shop.call("worker_stop", sessionId=row["sessionId"])
        except Conflict:
            continue  # it ended by itself
    for session in shop.app.ledger.find(Session, limit=100):
        if session.process and not shop.app.workers.is_dead(session.process):
            shop.app.workers.stop(session.process)  # a test said in its place how its worker ended
