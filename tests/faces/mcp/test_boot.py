from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.talker import Talker
from tests.engines.gateway.standing_by import is_running, until
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
SERVE = [sys.executable, "-m", "deedlog", "mcp", "serve"]


def at_home(folder: Path, **entry: Any) -> dict[str, str]:
    """A user who has a server in their own file."""
    command, *args = stub("--just", "echo", "--record", folder / "record")
    own = folder / "home/.config/deedlog"
    own.mkdir(parents=True)
    servers = {"mcpServers": {"one": {"command": command, "args": args, **entry}}}
    (own / "servers.json").write_text(json.dumps(servers))
    return {"HOME": str(folder / "home"), "PATH": os.environ["PATH"]}


def tools(client: Talker) -> list[str]:
    return [tool["name"] for tool in client.request("tools/list", {})["tools"] if "__" in tool["name"]]


def started(folder: Path) -> list[int]:
    record = folder / "record"
    rows = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    return [row["started"] for row in rows if "started" in row]


@pytest.mark.proves("gate:boot:mounted")
def test_what_the_user_wants_from_the_start_is_there_and_at_the_next_start_at_once(repo: Path, tmp_path: Path) -> None:
    environment = at_home(tmp_path, boot=True)
    with Talker(SERVE, repo, environment) as client:
        assert tools(client) == ["one__echo"]
        told = [notice["method"] for notice in client.notices]
        assert "notifications/tools/list_changed" not in told, "what the first list has is no change of it"
        active = client.instructions.partition("## Active")[2].partition("## Available")[0]
        assert "one" in active
        refused = client.request("tools/call", {"name": "mcp_deactivate", "arguments": {"name": "one"}})
        assert "mounted at start" in json.dumps(refused)
    (first,) = started(tmp_path)
    until(lambda: not is_running(first))
    with Talker(SERVE, repo, environment) as client:
        until(lambda: tools(client) == ["one__echo"])
        assert len(started(tmp_path)) == 1
        said = client.request("tools/call", {"name": "one__echo", "arguments": {"text": "hi"}})
        assert said["structuredContent"]["arguments"] == {"text": "hi"}
        assert len(started(tmp_path)) == 2
    until(lambda: not is_running(started(tmp_path)[1]))


def test_the_setting_names_them_too(repo: Path, tmp_path: Path) -> None:
    environment = at_home(tmp_path) | {"DEEDLOG_GATEWAY_BOOT": "one"}
    with Talker(SERVE, repo, environment) as client:
        until(lambda: tools(client) == ["one__echo"])


@pytest.mark.parametrize("entry", [{}, {"boot": False}], ids=["silent", "no"])
def test_nothing_is_started_where_nobody_wants_it(repo: Path, tmp_path: Path, entry: Json) -> None:
    with Talker(SERVE, repo, at_home(tmp_path, **entry)) as client:
        assert tools(client) == []
        client.request("tools/call", {"name": "mcp_environment", "arguments": {}})
        assert tools(client) == []
    assert started(tmp_path) == []
