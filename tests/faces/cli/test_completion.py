from __future__ import annotations

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
        (["wor"], ["workflow"]),
        (["ev"], ["event", "events"]),
        (["workflow", "comp"], ["complete"]),
        (["config", "g"], ["get"]),
        (["mcp", ""], ["serve"]),
        (["workflow", "list", "--st"], ["--status"]),
        (["workflow", "list", "--status", "f"], ["failed"]),
        (["workflow", "list", "--enable-t"], ["--enable-tracking"]),
        (["workflow", "start", "x", "--idem"], ["--idempotency-key"]),
        (["events", "--fol"], ["--follow"]),
        (["-C", "/", "workflow", "ge"], ["get"]),
        (["completion", "z"], ["zsh"]),
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
