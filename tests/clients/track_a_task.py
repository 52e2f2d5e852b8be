"""The real coding agents track a whole task, connected as `deedlog init` does it.

Run by `make test-clients`; `make test` does not collect it, as the agents are large and none of our own code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.agents import Agent, claude, codex, gemini
from tests.clients.model import ScriptedModel
from tests.clients.script import DEEDLOG, deedlog, run, write
from tests.e2e.conftest import agents_folder  # noqa: F401  # a fixture
from tests.e2e.desk import Desk

Json = dict[str, Any]
AGENTS = [
    pytest.param(claude, "claude-code", id="claude"),
    pytest.param(codex, "codex-mcp-client", id="codex"),
    pytest.param(gemini, "gemini-cli-mcp-client", id="gemini"),
]
SCRIPT = [
    deedlog("start_workflow", name="Add authentication", plan=[{"step": "1", "goal": "Verify tokens"}]),
    deedlog(
        "start_task",
        workflow_id="{workflow_id}",
        name="Setup JWT middleware",
        goal="Create middleware to verify JWT tokens",
        areas=["auth", "middleware"],
    ),
    write("src/middleware/auth.ts", "export const verify = (token: string) => token.length > 0;\n"),
    deedlog("log_milestone", task_id="{task_id}", message="Middleware written", progress=50),
    run("""printf '{"dependencies": {"jose": "6"}}\\n' > package.json && git add . && git commit --quiet -m jose"""),
    deedlog(
        "log_decision",
        task_id="{task_id}",
        category="library_choice",
        question="Which JWT library?",
        options_considered=["jsonwebtoken", "jose"],
        chosen="jose",
        reasoning="It has no dependencies",
    ),
    write("src/utils.ts", "export const now = () => Date.now();\n"),
    deedlog(
        "log_issue",
        task_id="{task_id}",
        type="documentation_gap",
        description="The guide leaves out key rotation",
        resolution="Followed the examples of its repository",
        requires_human_review=True,
    ),
    deedlog(
        "complete_task",
        task_id="{task_id}",
        status="success",
        outcome={"summary": "The middleware verifies tokens.", "achievements": ["Tokens are verified"]},
        metadata={"packages_added": ["jose"], "tests_status": "not_run"},
    ),
]


@pytest.fixture
def desk(repo: Path, tmp_path: Path, agents_folder: Path) -> Desk:  # noqa: F811
    desk = Desk(repo, tmp_path / "home", agents_folder)
    desk.run("git", "config", "user.name", "agent")
    desk.run("git", "config", "user.email", "agent@example.invalid")
    (repo / "package.json").write_text("{}\n")
    desk.run("git", "add", "package.json")
    desk.run("git", "commit", "--quiet", "--message=manifest")
    return desk


def ask(desk: Desk, *words: str) -> Json:
    """What the command line tells programs."""
    answer: Json = json.loads(desk.run(sys.executable, "-m", "deedlog", *words, "--json"))
    return answer


@pytest.mark.parametrize(("agent", "name"), AGENTS)
def test_it_tracks_a_task(agent: Agent, name: str, desk: Desk) -> None:
    with ScriptedModel(SCRIPT, str(desk.repo)) as model:
        said = agent(desk, model)
    assert (model.stuck, model.finished) == ("", True), f"{model.results}\n{said}"
    ours = [step.name for step in SCRIPT if step.kind == DEEDLOG]
    assert bool(model.searched) == (agent is codex), "only Codex holds back what we ask agents to have at hand"

    events = ask(desk, "events")["events"]
    assert {event["actor"] for event in events} == {name}
    assert list(dict.fromkeys(event["operation"] for event in events)) == ours

    report = ask(desk, "task", "report", "task-1")
    assert (report["actor"], report["status"], report["snapshot_type"]) == (name, "success", "git")
    assert report["outcome"]["achievements"] == ["Tokens are verified"]
    assert report["metadata"]["packages_added"] == ["jose"]
    assert [decision["chosen"] for decision in report["decisions"]] == ["jose"]
    assert [issue["type"] for issue in report["issues"]] == ["documentation_gap"]
    assert [milestone["progress"] for milestone in report["milestones"]] == [50]
    assert report["verification"]["scope_match"] is False
    assert report["verification"]["unexpected_files"] == ["src/utils.ts"]
    assert report["verification"]["warnings"] == ["⚠️ 1 file(s) modified outside declared scope (auth, middleware)"]

    changes = ask(desk, "task", "changes", "task-1")["changes"]
    assert [(row["path"], row["status"], row["by"], row["scope"]) for row in changes] == [
        ("package.json", "modified", "task", "companion"),
        ("src/middleware/auth.ts", "added", "task", "in"),
        ("src/utils.ts", "added", "task", "out"),
    ]
    assert [review["reason"] for review in ask(desk, "review", "list")["reviews"]] == ["issue", "scope"]
    assert ask(desk, "workflow", "list")["workflows"][0]["status"] == "completed"

    patch = desk.home / "task.patch"
    patch.write_text(desk.run(sys.executable, "-m", "deedlog", "task", "patch", "task-1"))
    desk.run("git", "apply", "--reverse", str(patch))
    assert (desk.repo / "package.json").read_text() == "{}\n"
    assert not (desk.repo / "src").exists()
