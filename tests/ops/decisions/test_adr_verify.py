from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.clarification import WrittenAdr
from deedlog.testing import app_in, caller
from tests.e2e.official import DEEDLOG, environment
from tests.recording import record

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"]


@pytest.fixture
def app(repo: Path, tmp_path: Path) -> App:
    return app_in(str(tmp_path / "store"), tree=str(repo))


def found(app: App) -> list[str]:
    problems: list[str] = app.call("adr_verify", {}, caller())["problems"]
    return problems


def committed(repo: Path) -> None:
    subprocess.run([*GIT, "-C", str(repo), "add", "."], check=True)
    subprocess.run([*GIT, "-C", str(repo), "commit", "-qm", "x"], check=True)


def promoted(app: App) -> dict[str, str]:
    """What `adr_promote` answers for a decision that was logged on a task."""

    def call(name: str, /, **arguments: object) -> Any:
        return app.call(name, arguments, caller())

    workflow = call("start_workflow", name="Release")["workflow_id"]
    task = call("start_task", workflow_id=workflow, name="Validate", goal="Validate input")["task_id"]
    decision = call(
        "log_decision",
        task_id=task,
        category="library_choice",
        question="Which?",
        options_considered=["Zod", "Yup"],
        chosen="Zod",
        reasoning="typed",
    )
    answer: dict[str, str] = call("adr_promote", decision_id=decision["decision_id"])
    return answer


@pytest.mark.proves("clarify:adr:verified")
def test_an_adr_is_held_against_what_git_has(app: App, repo: Path) -> None:
    adr, other = record(app, Database__Type="PostgreSQL"), record(app, "Other", Queue__Broker="Kafka")
    committed(repo)
    assert found(app) == []
    with (repo / adr.path).open("a") as file:
        file.write("edited\n")
    assert found(app) == [f"{adr.path} is not as it was committed"]
    (repo / other.path).unlink()
    assert f"{other.path} is committed but missing" in found(app)


@pytest.mark.proves("clarify:adr:verified")
def test_an_adr_is_held_against_what_the_ledger_has(app: App, repo: Path) -> None:
    made = promoted(app)
    assert app.ledger.get(WrittenAdr, made["uid"]).digest
    assert found(app) == []
    with (repo / made["path"]).open("a") as file:
        file.write("edited\n")
    committed(repo)
    assert found(app) == [f"{made['path']} is not as it was written"]


@pytest.mark.proves("clarify:adr:verified")
def test_the_command_fails_when_something_is_wrong(app: App, repo: Path) -> None:
    record(app, Database__Type="PostgreSQL")

    def verify() -> subprocess.CompletedProcess[str]:
        command = [*DEEDLOG, "adr", "verify"]
        return subprocess.run(command, cwd=repo, env=environment(), capture_output=True, text=True, check=False)

    assert verify().returncode == 0
    state = repo / "docs/ARCHITECTURE_STATE.md"
    state.write_text(state.read_text().replace("PostgreSQL", "MySQL"))
    done = verify()
    assert done.returncode == 6
    assert "docs/ARCHITECTURE_STATE.md is out of date" in done.stdout
    state.unlink()
    assert verify().returncode == 0, "it can be deleted at any time"
