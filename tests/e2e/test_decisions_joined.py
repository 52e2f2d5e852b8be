"""An agent on standard input and output, its person on the command line: what is decided on a task is decided."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clarifier import Clarifier, git
from tests.e2e.official import DEEDLOG, environment
from tests.e2e.processes import StdioServer

Json = dict[str, Any]
ORM = {
    "category": "library_choice",
    "question": "Which ORM?",
    "options_considered": ["Drizzle", "Prisma"],
    "chosen": "Drizzle",
    "reasoning": "Close to SQL",
}


class Pair:
    """An agent and a person in one repository."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.server = StdioServer([*DEEDLOG, "mcp", "serve"], repo, environment())

    def call(self, tool: str, /, **arguments: Any) -> Json:
        result = self.server.call(tool, arguments)
        assert not result.get("isError"), result
        answer: Json = result["structuredContent"]
        return answer

    def command(self, *words: str) -> str:
        done = subprocess.run(
            [*DEEDLOG, *words], cwd=self.repo, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, workflow_id: str, name: str) -> str:
        return str(self.call("start_task", workflow_id=workflow_id, name=name, goal="g")["task_id"])

    def complete(self, task_id: str, **more: Any) -> Json:
        return self.call("complete_task", task_id=task_id, status="success", outcome={"summary": "done"}, **more)

    def memory(self) -> str:
        return str(self.server.request("resources/read", {"uri": "project://memory"})["contents"][0]["text"])


@pytest.mark.proves("clarify:joined:flow")
def test_a_decision_goes_from_a_task_to_an_adr_to_every_later_task(repo: Path) -> None:
    pair = Pair(repo)
    with pair.server:
        workflow = pair.call("start_workflow", name="Store users")["workflow_id"]
        first = pair.start(workflow, "Choose an ORM")
        logged = pair.call("log_decision", task_id=first, **ORM)
        decision = logged["decision_id"]
        assert f"adr_promote {decision}" in logged["warnings"][0]
        (told,) = pair.complete(first)["verification"]["warnings"]
        assert told == f"undocumented decision: Drizzle; adr_promote {decision} writes its ADR"
        assert not (repo / "docs").exists()

        [row] = json.loads(pair.command("decision", "list", "--candidates", "--json"))["decisions"]
        assert (row["id"], row["task_id"]) == (decision, first)
        uid = json.loads(pair.command("adr", "promote", decision, "--json"))["uid"]
        read = pair.call("read_architecture")["architecture"]
        assert (read["uid"], read["categories"]) == (uid, {"Database": {"ORM": "Drizzle"}})
        assert "- Database: ORM Drizzle" in pair.memory()
        assert pair.call("memory_list")["memories"][0]["id"] == "adr-" + uid.lower().replace(".", "-")

        second = pair.start(workflow, "Query users")
        against = pair.call("log_decision", task_id=second, **{**ORM, "chosen": "Prisma"})["warnings"]
        assert any(f"contradicts ADR {uid}" in line for line in against)
        (repo / "package.json").write_text('{\n  "dependencies": {\n    "prisma": "5"\n  }\n}\n')
        warnings = pair.complete(second, metadata={"packages_added": ["@prisma/client@5"]})["verification"]["warnings"]
        assert sum(f"contradicts ADR {uid}" in line for line in warnings) == 1

        told_to_people = pair.command("decision", "list")
        assert "Drizzle" in told_to_people
        assert "candidate" in told_to_people


@pytest.mark.proves("clarify:joined:candidate")
def test_people_are_told_the_command(repo: Path) -> None:
    pair = Pair(repo)
    with pair.server:
        workflow = pair.call("start_workflow", name="Store users")["workflow_id"]
        first = pair.start(workflow, "Choose an ORM")
    told = pair.command("decision", "log", first, "library_choice", "Which ORM?", "Drizzle", "Close to SQL")
    assert "`deedlog adr promote dec-" in told
    told = pair.command("task", "complete", first, "success", "done")
    assert "undocumented decision: Drizzle; `deedlog adr promote dec-" in told.replace("\n", " ")


@pytest.mark.proves("clarify:joined:areas")
def test_what_was_clarified_is_what_the_next_task_is_measured_by(repo: Path) -> None:
    for path in ("src/auth/a.ts", "src/pay/b.ts"):
        (repo / path).parent.mkdir(parents=True)
        (repo / path).write_text("one\n")
    git(repo, "add", ".")
    git(repo, "commit", "--quiet", "--message", "two parts")
    with Clarifier(repo) as agent:
        agent.finish("Add authentication with OAuth via NextAuth")
        workflow = agent.call("start_workflow", name="Sign in")["workflow_id"]
        started = agent.call("start_task", workflow_id=workflow, name="Sign in", goal="People can sign in")
        assert "areas from docs/CURRENT_TASK.md" in started["warnings"][0]
        for path in ("src/auth/a.ts", "src/pay/b.ts"):
            (repo / path).write_text("two\n")
        agent.finish("Fix typo in login button")  # its files are nobody's work
        task = {"task_id": started["task_id"], "status": "success", "outcome": {"summary": "done"}}
        done = agent.call("complete_task", **task)
    assert done["files_changed"]["modified"] == ["src/auth/a.ts", "src/pay/b.ts"]
    assert done["files_changed"]["added"] == []
    assert done["verification"]["unexpected_files"] == ["src/pay/b.ts"]
    assert "docs/CURRENT_TASK.md" in done["deedlog_files"]
    assert any(path.startswith("docs/archive/task/") for path in done["deedlog_files"])
