from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faces.cli.running import Cli


@pytest.mark.proves("face:cli:completion")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["wor"], ["worker", "workflow"]),
        (["ev"], ["event", "events"]),
        (["workflow", "comp"], ["complete"]),
        (["config", "g"], ["get"]),
        (["mcp", "ca"], ["call", "calls", "capabilities"]),
        (["mcp", "secret", ""], ["list", "remove", "set"]),
        (["mcp", "enable", "memo"], ["memory"]),
        (["mcp", "call", "echo", "--server", "memo"], ["memory"]),
        (["mcp", "add", "memo"], []),
        (["workflow", "list", "--st"], ["--status"]),
        (["workflow", "list", "--status", "f"], ["failed"]),
        (["workflow", "list", "--enable-tr"], ["--enable-tracking"]),
        (["workflow", "start", "x", "--idem"], ["--idempotency-key"]),
        (["events", "--fol"], ["--follow"]),
        (["-C", "/", "workflow", "ge"], ["get"]),
        (["completion", "z"], ["zsh"]),
        (["config", "get", "po"], ["port"]),
        (["help", "work"], ["worker", "workflow"]),
        (["help", "workflow", "st"], ["start"]),
        (["help", "--js"], []),
        (["init", "--client", "c"], ["claude-code", "codex", "cursor"]),
        (["--vers"], ["--version"]),
        (["-C", ""], []),
        (["nothing", "such", ""], []),
    ],
)
def test_commands_options_and_values_are_completed(cli: Cli, words: list[str], found: list[str]) -> None:
    done = cli.run("__complete", "--", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == found


@pytest.mark.proves("face:cli:completion")
def test_ids_of_what_was_recorded_are_completed_and_no_store_is_made_for_it(cli: Cli) -> None:
    assert cli.run("__complete", "--", "workflow", "get", "").stdout.split() == []
    assert not (cli.folder / ".git/deedlog").exists()
    done = [json.loads(cli.run("workflow", "start", name, "--json").stdout)["workflow_id"] for name in "ab"]
    assert cli.run("__complete", "--", "workflow", "get", "").stdout.split() == sorted(done)
    assert cli.run("__complete", "--", "workflow", "complete", done[0]).stdout.split() == [done[0]]
    assert cli.run("__complete", "--", "workflow", "complete", "--workflow-id", "").stdout.split() == sorted(done)


@pytest.mark.proves("face:cli:completion")
def test_numbers_and_names_are_completed_too(cli: Cli) -> None:
    for title in "ab":
        cli.run("task", "add", title)
    assert cli.run("__complete", "--", "task", "get", "").stdout.split() == ["1", "2"]
    assert cli.run("__complete", "--", "worker", "command", "").stdout.split() == ["1", "2"]
    agents = ["coder", "planner", "reviewer", "writer"]
    assert cli.run("__complete", "--", "agent", "show", "").stdout.split() == agents
    assert cli.run("__complete", "--", "worker", "run", "1", "--agent", "").stdout.split() == agents


@pytest.mark.proves("face:cli:completion")
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_with_the_script(cli: Cli, tmp_path: Path) -> None:
    program = tmp_path / "bin/deedlog"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m deedlog "$@"\n')
    program.chmod(0o755)
    (tmp_path / "script").write_text(cli.run("completion", "bash").stdout)
    ask = 'source "$1"; COMP_WORDS=(deedlog workflow list --status ""); COMP_CWORD=4; _deedlog; echo "${COMPREPLY[*]}"'
    done = subprocess.run(
        ["bash", "-c", ask, "bash", str(tmp_path / "script")],
        cwd=cli.folder,
        env={**cli.environment, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "completed failed in_progress partial\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_asks_us(cli: Cli, shell: str) -> None:
    script = cli.run("completion", shell).stdout
    assert "deedlog __complete -- " in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True)
