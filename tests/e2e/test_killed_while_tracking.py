"""kill -9 of a server that tracks a task: another one goes on, and the repository is as the user left it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import StdioServer

DEEDLOG = str(Path(sys.executable).parent / "deedlog")
GIT = shutil.which("git") or "git"
FATAL = """#!/bin/sh
for word in "$@"; do
    if [ "$word" = "{at}" ] && [ -e "{armed}" ]; then rm "{armed}"; kill -9 {whom}; fi
done
exec {git} "$@"
"""
OUTCOME = {"status": "success", "outcome": {"summary": "done"}}


class Agent:
    """A client whose server uses a git that can be told to kill its caller, or itself, at one of its commands."""

    def __init__(self, repo: Path, tmp_path: Path) -> None:
        self.repo = repo
        self._bin = tmp_path / "bin"
        self._bin.mkdir()
        self._armed = tmp_path / "armed"
        self._environment = {**os.environ, "PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}"}
        self.arm("nothing", "$$")
        self._armed.unlink()

    def arm(self, at: str, whom: str) -> None:
        self._armed.touch()
        script = self._bin / "git"
        script.write_text(FATAL.format(at=at, armed=self._armed, whom=whom, git=GIT))
        script.chmod(0o755)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The answer of a server of its own; None when that one died."""
        with StdioServer([DEEDLOG, "mcp", "serve"], self.repo, self._environment) as server:
            try:
                result = server.request("tools/call", {"name": tool, "arguments": arguments})
            except (EOFError, BrokenPipeError):
                return None
        return result["structuredContent"] if not result.get("isError") else result

    def start(self) -> Any:
        workflow_id = self.call("start_workflow", name="x")["workflow_id"]
        return lambda: self.call("start_task", workflow_id=workflow_id, name="x", goal="y")

    def trace(self) -> list[str]:
        """What a task could leave behind in the repository."""
        refs = subprocess.run([GIT, "for-each-ref"], cwd=self.repo, capture_output=True, text=True, check=True).stdout
        locks = [str(path) for path in (self.repo / ".git").rglob("*.lock") if "deedlog" not in path.parts]
        return [line for line in refs.splitlines() if "refs/deedlog" in line] + locks


@pytest.fixture
def agent(repo: Path, tmp_path: Path) -> Agent:
    return Agent(repo, tmp_path)


def work(repo: Path) -> None:
    (repo / "README.md").write_text("changed\n")
    (repo / "new.txt").write_text("new\n")


@pytest.mark.proves("track:recover:killed")
@pytest.mark.parametrize("whom", ["$PPID", "$$"], ids=["the server", "git"])
@pytest.mark.parametrize("at", ["rev-parse", "ls-files", "status"])
def test_killed_in_start_task_the_next_start_works(agent: Agent, at: str, whom: str) -> None:
    start = agent.start()
    agent.arm(at, whom)
    died = start()
    assert died is None or died.get("isError") or whom == "$$"  # a git that died may be asked again
    task_id = (start() if died is None or died.get("isError") else died)["task_id"]
    work(agent.repo)
    done = agent.call("complete_task", task_id=task_id, **OUTCOME)
    assert done["files_changed"] == {"added": ["new.txt"], "modified": ["README.md"], "deleted": []}
    assert agent.trace() == []


@pytest.mark.proves("track:recover:killed")
@pytest.mark.parametrize("whom", ["$PPID", "$$"], ids=["the server", "git"])
@pytest.mark.parametrize("at", ["rev-parse", "status", "cat-file", "diff-tree", "for-each-ref"])
def test_killed_in_complete_task_the_next_one_completes_it(agent: Agent, at: str, whom: str) -> None:
    task_id = agent.start()()["task_id"]
    work(agent.repo)
    agent.arm(at, whom)
    agent.call("complete_task", task_id=task_id, **OUTCOME)
    done = agent.call("complete_task", task_id=task_id, **OUTCOME)
    assert done["files_changed"] == {"added": ["new.txt"], "modified": ["README.md"], "deleted": []}
    report = agent.call("task_report", task_id=task_id)
    assert report["status"] == "success"
    again = agent.start()()["task_id"]
    assert agent.call("complete_task", task_id=again, **OUTCOME)["files_changed"]["added"] == []
    assert agent.trace() == []


@pytest.mark.proves("track:recover:killed")
def test_killed_between_start_and_complete_another_server_completes_it(agent: Agent) -> None:
    with StdioServer([DEEDLOG, "mcp", "serve"], agent.repo, os.environ) as server:
        begun = server.request("tools/call", {"name": "start_workflow", "arguments": {"name": "x"}})
        arguments = {"workflow_id": begun["structuredContent"]["workflow_id"], "name": "x", "goal": "y"}
        started = server.request("tools/call", {"name": "start_task", "arguments": arguments})
        server.process.kill()
    work(agent.repo)
    done = agent.call("complete_task", task_id=started["structuredContent"]["task_id"], **OUTCOME)
    assert done["files_changed"] == {"added": ["new.txt"], "modified": ["README.md"], "deleted": []}
    assert agent.trace() == []
