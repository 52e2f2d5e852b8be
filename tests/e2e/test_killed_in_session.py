"""kill -9 of whoever starts or ends a session, at any command of git: another call goes on, and nothing is left."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.faces.cli.running import Cli

GIT = shutil.which("git") or "git"
FATAL = """#!/bin/sh
for word in "$@"; do
    if [ "$word" = "{at}" ] && [ -e "{armed}" ]; then rm "{armed}"; kill -9 $PPID; fi
done
exec {git} "$@"
"""


class Fatal(Cli):
    """`deedlog` with a git that can be told to kill its caller at one of its commands."""

    def __init__(self, repo: Path, tmp_path: Path) -> None:
        self._bin, self._armed = tmp_path / "bin", tmp_path / "armed"
        self._bin.mkdir()
        super().__init__(repo, tmp_path / "home")
        self.environment["PATH"] = f"{self._bin}:{self.environment['PATH']}"

    def killed_at(self, at: str, *words: str) -> bool:
        """Whether a call was killed; it is not where git was not asked that."""
        script = self._bin / "git"
        script.write_text(FATAL.format(at=at, armed=self._armed, git=GIT))
        script.chmod(0o755)
        self._armed.touch()
        done = self.run(*words)
        self._armed.unlink(missing_ok=True)
        return done.returncode == -signal.SIGKILL

    def refs(self) -> list[str]:
        command = [GIT, "for-each-ref", "refs/deedlog"]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.fixture
def fatal(repo: Path, tmp_path: Path) -> Fatal:
    cli = Fatal(repo, tmp_path)
    assert cli.run("task", "create", "Add login").returncode == 0
    return cli


@pytest.mark.proves("session:recover:killed")
@pytest.mark.parametrize("at", ["rev-parse", "ls-files", "status"])
def test_killed_while_a_session_starts_the_next_one_starts(fatal: Fatal, at: str) -> None:
    assert fatal.killed_at(at, "session", "start", "1", "coder")
    assert fatal.run("task", "get", "1", "--json").stdout.count('"open"') == 1
    assert fatal.run("session", "start", "1", "coder").returncode == 0
    assert fatal.run("session", "end", "1", "0").returncode == 0
    assert fatal.refs() == []


@pytest.mark.proves("session:recover:killed")
@pytest.mark.parametrize("at", ["rev-parse", "status", "cat-file", "diff-tree"])
def test_killed_while_a_session_ends_it_is_ended_by_the_next_call(fatal: Fatal, at: str) -> None:
    fatal.run("session", "start", "1", "coder")
    (fatal.folder / "src").mkdir()
    (fatal.folder / "src/new.py").write_text("new\n")
    assert fatal.killed_at(at, "session", "end", "1", "0")
    assert '"running"' in fatal.run("session", "get", "1", "--json").stdout
    ended = fatal.run("session", "end", "1", "0", "--json")
    assert ended.returncode == 0
    assert "src/new.py" in ended.stdout
    assert fatal.refs() == []
