"""What `deedlog doctor` tells of a project's own words for clarification and of misspelt names in settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faces.cli.running import Cli


@pytest.mark.proves("clarify:gate:own-file")
@pytest.mark.parametrize(
    ("text", "place"),
    [("[questions.caching]\noptions = []\n", "line 2: questions.caching.options"), ("a = 1\n= 3\n", "line 2")],
)
def test_the_doctor_finds_a_fault_in_the_words_of_a_project(cli: Cli, text: str, place: str) -> None:
    cli.run("init", "--yes")
    state = cli.folder / ".deedlog"
    state.mkdir(exist_ok=True)
    (state / "clarify.toml").write_text(text)
    told = cli.run("doctor")
    assert told.returncode == 3
    assert "clarify.toml" in told.stdout
    assert place in told.stdout
    assert "--rebuild" not in told.stdout
    said = json.loads(cli.run("doctor", "--json").stdout)
    assert (said["ok"], len(said["problems"])) == (False, 1)
    (state / "clarify.toml").unlink()
    assert cli.run("doctor").returncode == 0


def test_the_doctor_finds_names_in_agents_may_that_allow_nothing(cli: Cli) -> None:
    cli.run("init", "--yes")
    file = Path(cli.environment["HOME"]) / ".config/deedlog/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('agents_may = ["worker_done.force", "workr_done"]\n')
    warnings = [text for text in json.loads(cli.run("doctor", "--json").stdout)["warnings"] if "agents_may" in text]
    assert warnings == ["agents_may: 'workr_done' allows nothing; did you mean 'worker_done'?"]
