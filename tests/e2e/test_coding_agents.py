"""The coding agents people use find our server with the configuration `deedlog init` writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from tests.e2e.conftest import BIN
from tests.e2e.processes import StdioServer

pytestmark = pytest.mark.proves("face:mcp:real-clients")


class Desk:
    """A repository and a home folder of its own, prepared by `deedlog init`."""

    def __init__(self, repo: Path, home: Path, agents: Path) -> None:
        self.repo, self.home, self.bin = repo, home, agents / "node_modules/.bin"
        kept = {name: value for name, value in os.environ.items() if name in {"LANG", "TERM", "TMPDIR"}}
        self.environment = kept | {
            "HOME": str(home),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.repo, env=self.environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def init(self, client: str) -> None:
        self.run(sys.executable, "-m", "deedlog", "init", "--client", client, "--yes")


@pytest.fixture
def desk(repo: Path, tmp_path: Path, agents_folder: Path) -> Desk:
    home = tmp_path / "home"
    home.mkdir()
    return Desk(repo, home, agents_folder)


def test_claude_code_connects(desk: Desk) -> None:
    """What a project's `.mcp.json` holds must be approved by a person first, so its entry is added as one's own."""
    desk.init("claude-code")
    written = json.loads((desk.repo / ".mcp.json").read_text())["mcpServers"]["deedlog"]
    desk.run(str(desk.bin / "claude"), "mcp", "add-json", "deedlog-own", json.dumps(written))
    assert "Connected" in desk.run(str(desk.bin / "claude"), "mcp", "get", "deedlog-own")


def test_gemini_cli_connects(desk: Desk) -> None:
    desk.init("gemini-cli")
    trusted = desk.home / ".gemini/trustedFolders.json"
    trusted.parent.mkdir(exist_ok=True)
    trusted.write_text(json.dumps({str(desk.repo): "TRUST_FOLDER"}))
    listed = desk.run(str(desk.bin / "gemini"), "mcp", "list")
    assert "deedlog" in listed
    assert "Connected" in listed


@pytest.fixture
def codex(desk: Desk) -> Iterator[StdioServer]:
    desk.init("codex")
    with StdioServer([str(desk.bin / "codex"), "app-server"], desk.repo, desk.environment) as server:
        yield server


def test_codex_calls_a_tool(codex: StdioServer, repo: Path) -> None:
    codex.request("initialize", {"clientInfo": {"name": "tests", "title": "Tests", "version": "1"}})
    codex.send({"method": "initialized"})
    (status,) = codex.request("mcpServerStatus/list")["data"]
    assert "start_workflow" in status["tools"]
    thread = codex.request("thread/start", {"cwd": str(repo)})["thread"]["id"]
    call: dict[str, Any] = {"threadId": thread, "server": "deedlog", "tool": "start_workflow"}
    answer = codex.request("mcpServer/tool/call", {**call, "arguments": {"name": "from codex"}})
    (event,) = SqlLedger(Sqlite(str(repo / ".git/deedlog"))).events(EventQuery())
    assert event.entity_id == answer["structuredContent"]["workflow_id"]
    assert event.actor == "codex-mcp-client"
