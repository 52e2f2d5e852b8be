"""The coding agents people use find our server with the configuration `deedlog init` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from tests.e2e.desk import Desk
from tests.e2e.processes import StdioServer

pytestmark = pytest.mark.proves("face:mcp:real-clients")


@pytest.fixture
def desk(repo: Path, tmp_path: Path, agents_folder: Path) -> Desk:
    return Desk(repo, tmp_path / "home", agents_folder)


def test_claude_code_connects(desk: Desk) -> None:
    """What a project's `.mcp.json` holds must be approved by a person first, so its entry is added as one's own."""
    desk.init("claude-code")
    written = json.loads((desk.repo / ".mcp.json").read_text())["mcpServers"]["deedlog"]
    desk.run(str(desk.bin / "claude"), "mcp", "add-json", "deedlog-own", json.dumps(written))
    assert "Connected" in desk.run(str(desk.bin / "claude"), "mcp", "get", "deedlog-own")


def test_gemini_cli_connects(desk: Desk) -> None:
    desk.init("gemini-cli")
    desk.trust_for_gemini()
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
    client, _, connection = event.actor.partition("/")
    assert (client, len(connection)) == ("codex", 16)
