"""A project whose workers are stand-ins, used through the real command and the real MCP server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.approving import approve
from tests.e2e.processes import StdioServer, let_agents
from tests.stand_in_agent import command

DEEDLOG = str(Path(sys.executable).parent / "deedlog")
COMMAND = command("{prompt_file}")
WAIT = 120  # seconds, for what ends by itself much sooner

Json = dict[str, Any]


class Refused(Exception):
    """What a call was refused with; the exit code of the command, or the number of the error."""

    def __init__(self, code: int, said: Any) -> None:
        super().__init__(f"{code}: {said}")
        self.code, self.said = code, said


class Bench:
    """`trusting`: its user lets agents do what needs a person, as most tests are not about that."""

    trusting = True

    def __init__(self, repo: Path, home: Path, **environment: str) -> None:
        home.mkdir()
        if self.trusting:
            let_agents(home)
        self.repo = repo
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "TMPDIR"}}
        self.environment = kept | {"HOME": str(home), "USER": "tester"} | environment
        self.git("config", "user.name", "t")
        self.git("config", "user.email", "t@example.invalid")

    def git(self, *words: str, tree: str = "") -> str:
        folder = self.repo / tree
        done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def cli(self, *words: object) -> Any:
        line = [DEEDLOG, *map(str, words), "--json"]
        done = subprocess.run(
            line, cwd=self.repo, env=self.environment, capture_output=True, text=True, timeout=WAIT, check=False
        )
        if done.returncode:
            raise Refused(done.returncode, done.stderr)
        return json.loads(done.stdout)

    def server(self) -> Server:
        return Server(self.repo, self.environment)

    def call(self, tool: str, **arguments: object) -> Any:
        """The answer of a server of its own."""
        with self.server() as server:
            return server.ask(tool, **arguments)

    def configure(self, text: str) -> None:
        file = self.repo / ".deedlog/config.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        approve(self.repo, self.environment)

    def agent(self, name: str = "hand", **more: object) -> str:
        """An agent that does what it is told."""
        scope = {"read": ["**/*"], "write": ["**/*"], "exclude": []}
        said = {"name": name, "command": COMMAND, "scope": scope, **more}
        self.call("agent_create", **said)
        return name

    def task(self, title: str, *lines: str, **more: object) -> int:
        description = "\n".join(f"do: {line}" for line in lines)
        said = {"title": title, "description": description, "assignee": "hand", **more}
        return int(self.call("task_create", **said)["id"])

    def run(self, task: int, **more: object) -> int:
        return int(self.call("worker_run", taskId=task, **more)["sessionId"])

    def pipe(self, name: str) -> Path:
        """What a worker blocks on until somebody writes into it."""
        path = self.repo / ".git" / name  # a worker does not see the folder for temporary files around the project
        os.mkfifo(path)
        return path

    def wait(self, *numbers: int) -> list[Json]:
        answer = self.call("worker_wait", sessionIds=list(numbers), timeoutSeconds=WAIT)
        assert answer["done"], answer
        found: list[Json] = answer["sessions"]
        return found

    def session(self, number: int) -> Json:
        found: Json = self.call("session_get", sessionId=number)
        return found

    def status(self, task: int) -> str:
        return str(self.call("task_get", id=task)["status"])

    def reviews(self) -> list[str]:
        return [row["reason"] for row in self.call("review_list")["reviews"]]

    def files(self, branch: str = "main") -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", branch).splitlines()

    def trees(self) -> list[str]:
        folder = self.repo / ".deedlog/worktrees"
        return sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name.startswith("task-"))

    def branches(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads/").splitlines()


class Server(StdioServer):
    def __init__(self, repo: Path, environment: dict[str, str]) -> None:
        super().__init__([DEEDLOG, "mcp", "serve"], repo, environment)

    def ask(self, tool: str, **arguments: object) -> Any:
        return self.ask_at_once((tool, arguments))[0]

    def ask_at_once(self, *calls: tuple[str, dict[str, object]]) -> list[Any]:
        """The answers to several calls, none of which waited for another."""
        numbers = []
        for tool, arguments in calls:
            self._next += 1
            numbers.append(self._next)
            params = {"name": tool, "arguments": arguments}
            self.send({"jsonrpc": "2.0", "id": self._next, "method": "tools/call", "params": params})
        answers: dict[int, Any] = {}
        while len(answers) < len(numbers):
            message = self.receive()
            if message.get("id") in numbers:
                answers[message["id"]] = _answer(message)
        return [answers[number] for number in numbers]


def _answer(message: Json) -> Any:
    if "error" in message:
        raise Refused(message["error"]["code"], message["error"])
    result = message["result"]
    if result.get("isError"):
        raise Refused(0, result)
    return result["structuredContent"]
