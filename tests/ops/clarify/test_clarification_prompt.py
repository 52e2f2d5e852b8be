from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError, NotFound
from deedlog.testing import Clock, app_in, caller

Json = dict[str, Any]
PROMPT = "docs/AGENT_PROMPT.md"


@pytest.fixture
def app(repo: Path, tmp_path: Path, clock: Clock) -> App:
    return app_in(str(tmp_path / "store"), tree=str(repo), clock=clock)


def call(app: App, name: str, /, **arguments: object) -> Json:
    answer: Json = app.call(name, arguments, caller())
    return answer


def test_without_a_task_there_is_nothing_to_prompt_for(app: App) -> None:
    with pytest.raises(NotFound, match="no current task"):
        call(app, "clarification_prompt")


@pytest.mark.proves("clarify:prompt:cli-only")
def test_the_prompt_names_the_task_and_its_adr(app: App, repo: Path) -> None:
    done = call(app, "require_clarification", user_intention="Fix the typo", preferences={"force_adr": True})
    assert done["status"] == "completed"
    assert not (repo / PROMPT).exists()
    answer = call(app, "clarification_prompt")
    assert (answer["path"], answer["task_uid"]) == (PROMPT, done["task_uid"])
    text = (repo / PROMPT).read_text()
    assert "Fix the typo" in text
    for artifact in done["artifacts_created"]:
        assert artifact["path"] in text


def test_writing_it_again_changes_nothing_until_the_task_does(app: App, repo: Path) -> None:
    call(app, "require_clarification", user_intention="Fix the typo")
    call(app, "clarification_prompt")
    head = app.ledger.head()
    before = (repo / PROMPT).stat().st_mtime_ns
    call(app, "clarification_prompt")
    assert (app.ledger.head(), (repo / PROMPT).stat().st_mtime_ns) == (head, before)
    call(app, "require_clarification", user_intention="Fix the other typo")
    call(app, "clarification_prompt")
    assert "Fix the other typo" in (repo / PROMPT).read_text()


def test_a_file_of_somebody_else_is_left_alone(app: App, repo: Path) -> None:
    call(app, "require_clarification", user_intention="Fix the typo")
    (repo / PROMPT).write_text("mine\n")
    with pytest.raises(DeedlogError) as refused:
        call(app, "clarification_prompt")
    assert refused.value.hint
    assert (repo / PROMPT).read_text() == "mine\n"
