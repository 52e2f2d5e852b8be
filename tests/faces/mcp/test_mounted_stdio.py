"""A stdio server process with servers to mount, as a client starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import StdioServer
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
COMMAND = [sys.executable, "-m", "deedlog", "mcp", "serve"]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1"},
}


class Home:
    """A user with a project; `started` is a server of it."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home = folder / "project", folder / "home"
        (self.home / ".config/deedlog").mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", str(self.project)], check=True)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}

    def configure(self, **servers: Json) -> None:
        self.write(json.dumps({"mcpServers": servers}))

    def write(self, text: str) -> None:
        (self.home / ".config/deedlog/servers.json").write_text(text)

    def started(self, **settings: str) -> StdioServer:
        given = {f"DEEDLOG_{name.upper()}": value for name, value in settings.items()}
        return StdioServer(COMMAND, self.project, self.environment | given)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def entry(*switches: object, **more: Any) -> Json:
    command, *args = stub(*switches)
    return {"command": command, "args": args, **more}


def names(server: StdioServer) -> list[str]:
    return [tool["name"] for tool in server.request("tools/list")["tools"]]


@pytest.mark.proves("gate:activate:tools")
def test_a_server_is_mounted_used_and_unmounted_in_one_conversation(home: Home) -> None:
    home.configure(stub=entry("--just", "echo"))
    with home.started() as server:
        server.request("initialize", HELLO)
        assert server.call("mcp_activate", {"name": "stub"})["structuredContent"]["tools"] == ["stub__echo"]
        assert names(server)[-1] == "stub__echo"
        assert server.call("stub__echo", {"a": 1})["structuredContent"]["arguments"] == {"a": 1}
        server.call("mcp_deactivate", {"name": "stub"})
        assert "stub__echo" not in names(server)


def test_a_hundred_calls_are_under_way_at_once(home: Home) -> None:
    gate, record = home.home / "gate", home.home / "record"
    home.configure(stub=entry("--just", "wait", "--record", record))
    with home.started() as server:
        server.request("initialize", HELLO)
        server.call("mcp_activate", {"name": "stub"})
        calls = [f"call-{number}" for number in range(120)]
        for call in calls:
            params = {"name": "stub__wait", "arguments": {"file": str(gate)}}
            server.send({"jsonrpc": "2.0", "id": call, "method": "tools/call", "params": params})
        while record.read_text().count('"tools/call"') < len(calls):
            server.request("ping")
        gate.touch()
        found: set[str] = set()
        while len(found) < len(calls):
            message = server.receive()
            assert message["result"]["content"][0]["text"] == "waited"
            found.add(message["id"])
    assert found == set(calls)


@pytest.mark.proves("gate:mount:from-the-start")
@pytest.mark.parametrize("known", [False, True], ids=["first start", "later start"])
def test_servers_that_are_to_be_there_from_the_start_are_in_the_first_list(home: Home, *, known: bool) -> None:
    home.configure(stub=entry("--just", "echo", boot=True))
    for _ in range(1 + known):
        with home.started() as server:
            server.request("initialize", HELLO)
            assert "stub__echo" in names(server)
            refused = server.call("mcp_deactivate", {"name": "stub"})
            assert refused["isError"]


@pytest.mark.proves("gate:prompt:instructions")
@pytest.mark.parametrize(
    "broken", ['{"mcpServers": {', '{"mcpServers": 5}', "\ud800".encode("utf-8", "surrogatepass").hex()]
)
def test_a_broken_configuration_does_not_keep_a_client_from_connecting(home: Home, broken: str) -> None:
    home.write(broken)
    (home.project / ".mcp.json").write_bytes(b"\xff\xfe\x00")
    with home.started() as server:
        told = server.request("initialize", HELLO)["instructions"]
        assert "# Dynamic MCP Orchestration" in told
        assert names(server)


@pytest.mark.proves("gate:prompt:instructions", "gate:prompt:catalogue")
def test_the_instructions_tell_of_servers_within_reach_and_how_to_use_them(home: Home) -> None:
    home.configure(mine=entry(description="Does it\n# all"), other=entry(required=["OTHER_KEY"]))
    with home.started() as server:
        told = server.request("initialize", HELLO)["instructions"]
    assert len(told) <= 4_000
    assert "mine" in told
    assert "other (OTHER_KEY)" in told
    assert "\n# all" not in told
    assert "mcp_activate" in told


def test_the_catalogue_can_be_left_out_of_the_instructions(home: Home) -> None:
    with home.started(gateway_prompt_tokens="0") as server:
        told = server.request("initialize", HELLO)["instructions"]
    assert "mcp_activate" not in told
    assert "complete_task" in told
