"""The memory bank and agents from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.faces.cli.running import Cli


@pytest.fixture
def cli(repo: Path, tmp_path: Path) -> Cli:
    return Cli(repo, tmp_path / "home")


def test_the_preview_is_printed_as_it_is(cli: Cli) -> None:
    cli.run("memory", "add", "linter", "tooling", "Linter", "--summary", "ESLint + Biome", "--status", "active")
    printed = cli.run("memory", "preview").stdout
    assert printed == json.loads(cli.run("memory", "preview", "--json").stdout)["context"] + "\n"
    assert "- ツール選定: ESLint + Biome\n" in cli.run("memory", "preview", "--labels", "ja").stdout
    assert "- ツール選定: " in cli.run("memory", "preview", DEEDLOG_MEMORY_LABELS="ja").stdout


def test_an_agent_is_exported_to_a_file_and_imported_from_it(cli: Cli, tmp_path: Path) -> None:
    text = cli.run("agent", "export", "coder").stdout
    assert yaml.safe_load(text)["name"] == "coder"
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace("name: coder", "name: mine"))
    cli.run("agent", "import", f"@{file}")
    assert json.loads(cli.run("agent", "show", "mine", "--json").stdout)["model"] == "sonnet"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["agent", "get", "nope"], 5),
        (["agent", "create", "coder"], 6),
        (["agent", "create", "../x"], 2),
        (["agent", "import", "["], 2),
        (["memory", "get", "nope"], 5),
        (["memory", "add", "../x", "rule", "T"], 2),
        (["memory", "add", "x", "$(touch pwned)", "T"], 2),
        (["memory", "add", "x", "rule", "T", "--status", "; touch pwned"], 2),
    ],
)
def test_refusals_have_the_document_s_exit_codes(cli: Cli, words: list[str], code: int) -> None:
    done = cli.run(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert "hint: " in done.stderr or code == 2


def test_texts_that_a_shell_would_run_are_kept_as_they_are(cli: Cli) -> None:
    hostile = "$(touch pwned); `touch pwned` | touch pwned\nPROMPT\n'\"\\"
    cli.run("memory", "add", "x", "rule", hostile, "--summary", hostile, "--content", hostile)
    assert json.loads(cli.run("memory", "get", "x", "--json").stdout)["content"] == hostile
    cli.run("agent", "create", "x", "--prompt-content", hostile, "--command", "tool", "--command", hostile)
    assert json.loads(cli.run("agent", "get", "x", "--json").stdout)["command"] == ["tool", hostile]
    assert not list(cli.folder.rglob("pwned"))
