"""The real coding agents as workers: `worker run` starts them as it starts any, in whatever keeps them in their scope.

Run by `make test-clients`; `make test` does not collect it, as the agents are large and none of our own code.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deedlog.workers import enforcement, landlock
from tests.clients.agents import no_network
from tests.clients.model import ScriptedModel
from tests.clients.script import run, write
from tests.e2e.conftest import agents_folder  # noqa: F401  # a fixture
from tests.e2e.desk import Desk

Json = dict[str, Any]
Prepare = Callable[[Desk, ScriptedModel], dict[str, str]]
SCRIPT = [
    write("src/made.txt", "made by a worker\n"),
    run("git add src && git commit --quiet --message made"),
    run("echo changed > README.md || true"),
    run("git update-ref refs/heads/main HEAD || true"),
]
SCOPE = '{"read": ["**/*"], "write": ["src/**"], "exclude": []}'


def claude(desk: Desk, model: ScriptedModel) -> dict[str, str]:
    """As it is where somebody has used it."""
    (desk.home / ".claude").mkdir()
    (desk.home / ".claude.json").write_text('{"hasCompletedOnboarding": true}')
    return {"ANTHROPIC_BASE_URL": model.address, "ANTHROPIC_API_KEY": "none"}


def codex(desk: Desk, model: ScriptedModel) -> dict[str, str]:
    provider = f'name="scripted"\nbase_url="{model.address}/v1"\nwire_api="responses"\nenv_key="SCRIPTED_KEY"\n'
    settings = f'model="gpt-5.5"\nmodel_provider="scripted"\n[model_providers.scripted]\n{provider}'
    (desk.home / ".codex").mkdir()
    (desk.home / ".codex/config.toml").write_text(settings)
    return {"SCRIPTED_KEY": "none"}


def gemini(desk: Desk, model: ScriptedModel) -> dict[str, str]:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    (desk.home / ".gemini").mkdir()
    (desk.home / ".gemini/settings.json").write_text(json.dumps(settings))
    return {"GOOGLE_GEMINI_BASE_URL": model.address, "GEMINI_API_KEY": "none", "GEMINI_MODEL": "gemini-2.5-flash"}


CLIENTS = [
    pytest.param("claude-code", claude, id="claude"),
    pytest.param("codex", codex, id="codex"),
    pytest.param("gemini-cli", gemini, id="gemini"),
]


@pytest.fixture
def desk(repo: Path, tmp_path: Path, agents_folder: Path) -> Desk:  # noqa: F811
    desk = Desk(repo, tmp_path / "home", agents_folder)
    desk.environment["PATH"] = f"{desk.bin}{os.pathsep}{desk.environment['PATH']}"
    desk.run("git", "config", "user.name", "agent")
    desk.run("git", "config", "user.email", "agent@example.invalid")
    return desk


def believe(desk: Desk, kind: str) -> None:
    """Let the machine have found out that this is all it has to keep a worker in its scope."""
    folder = desk.repo / ".git/deedlog/workers"
    folder.mkdir(parents=True)
    (folder / "enforcement").write_text(f"{enforcement._machine()}\n{kind}\n")


@pytest.mark.parametrize("kind", ["best", "landlock"])
@pytest.mark.parametrize(("client", "prepare"), CLIENTS)
def test_it_works_in_its_scope(
    client: str, prepare: Prepare, kind: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "landlock":
        if not landlock.version():
            pytest.skip("this kernel has no Landlock")
        monkeypatch.setenv("PATH", desk.environment["PATH"])
        believe(desk, kind)
    tree = desk.repo / ".deedlog/worktrees/task-1"
    with ScriptedModel(SCRIPT, str(tree)) as model:
        environment = prepare(desk, model) | no_network(model)

        def ask(*words: str) -> Json:
            answer: Json = json.loads(desk.run(sys.executable, "-m", "deedlog", *words, "--json", **environment))
            return answer

        ask("agent", "create", "maker", "--client", client, "--scope", SCOPE)
        ask("task", "create", "Make a file", "--description", "Do the work.", "--assignee", "maker")
        started = ask("worker", "run", "1", "--timeout-seconds", "120")
        ended = ask("worker", "wait", "--session-ids", str(started["sessionId"]), "--timeout-seconds", "150")
        [session] = ended["sessions"]
        said = desk.run(sys.executable, "-m", "deedlog", "session", "log", "1", **environment)
    assert (model.stuck, model.finished) == ("", True), said
    assert (session["status"], session["exitCode"]) == ("completed", 0), said
    assert session["usage"]["tokens"] > 0
    assert desk.run("git", "show", "--format=", "--name-only", "task-1-s1") == "src/made.txt\n"
    if started["enforcement"] != "none":
        assert (tree / "README.md").read_text() == "hello\n", said
        assert session.get("violations", []) == []
    if started["enforcement"] == "bubblewrap":
        assert desk.run("git", "log", "--format=%s", "-1", "main") == "first\n"
