"""Capabilities switched while real servers run: everybody is told, whichever process did it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import HttpServer, StdioServer
from tests.faces.mcp.speaking import LEGACY, envelope
from tests.faces.web.test_mcp import Exchange, Legacy, modern

Json = dict[str, Any]
DEEDLOG = [sys.executable, "-m", "deedlog"]
ENVIRONMENT = {**os.environ, "DEEDLOG_TOKEN": "secret", "DEEDLOG_ACTOR": "tester"}
CHANGED = "notifications/tools/list_changed"
LISTENING: Json = {"notifications": {"toolsListChanged": True}}
pytestmark = pytest.mark.proves("capability:run-time:list-changed")


def switch(repo: Path, name: str, *more: str) -> None:
    """By a process of its own."""
    subprocess.run([*DEEDLOG, "capability", "set", name, *more], cwd=repo, env=ENVIRONMENT, check=True, timeout=60)


def stdio(repo: Path) -> StdioServer:
    return StdioServer([*DEEDLOG, "mcp", "serve"], repo, ENVIRONMENT)


def http(repo: Path) -> HttpServer:
    return HttpServer([*DEEDLOG, "serve", "--port", "0"], repo, ENVIRONMENT)


def opened(server: StdioServer) -> None:
    client = {"name": "t", "version": "1"}
    server.request("initialize", {"protocolVersion": LEGACY[-1], "capabilities": {}, "clientInfo": client})


def names(result: Json) -> set[str]:
    return {tool["name"] for tool in result["tools"]}


def test_a_client_is_told_of_what_it_switches_itself(repo: Path) -> None:
    with stdio(repo) as server:
        opened(server)
        assert "tx_begin" not in names(server.request("tools/list"))
        params = {"name": "mcp_call", "arguments": {"name": "capability_set", "arguments": {"name": "tx"}}}
        server.send({"jsonrpc": "2.0", "id": "own", "method": "tools/call", "params": params})
        heard = [server.receive(), server.receive()]
        assert {message.get("method", message.get("id")) for message in heard} == {CHANGED, "own"}
        assert "tx_begin" in names(server.request("tools/list"))


def test_a_client_is_told_of_what_another_process_switched_with_its_next_message(repo: Path) -> None:
    with stdio(repo) as server:
        opened(server)
        switch(repo, "tx")
        server.send({"jsonrpc": "2.0", "id": "next", "method": "ping"})
        assert [server.receive().get("method"), server.receive().get("id")] == [CHANGED, "next"]
        assert "tx_begin" in names(server.request("tools/list"))
        switch(repo, "tx", "--no-on")
        refused = server.call("tx_begin", {"graph_id": "x"})
        assert json.loads(refused["content"][0]["text"])["code"] == "TRANSACTIONS_DISABLED"


def test_a_client_that_says_nothing_is_told_of_what_another_process_switched(repo: Path) -> None:
    with stdio(repo) as idle, stdio(repo) as other:
        opened(idle)
        opened(other)
        other.call("capability_set", {"name": "tx"})
        assert idle.receive()["method"] == CHANGED


def test_a_client_of_the_new_era_that_listens_need_not_ask(repo: Path) -> None:
    with stdio(repo) as server:
        params = {**LISTENING, "_meta": envelope()}
        server.send({"jsonrpc": "2.0", "id": "ear", "method": "subscriptions/listen", "params": params})
        assert server.receive()["method"] == "notifications/subscriptions/acknowledged"
        switch(repo, "bulk")
        assert server.receive()["method"] == CHANGED


def test_over_http_sessions_and_listeners_are_told(repo: Path) -> None:
    with http(repo) as server:
        client = Legacy(server)
        standing = client.listen()
        listening = modern(server, "subscriptions/listen", **LISTENING)
        ear = listening.events()
        assert next(ear)["method"] == "notifications/subscriptions/acknowledged"
        switch(repo, "locks")
        assert next(ear)["method"] == CHANGED
        assert next(standing.events())["method"] == CHANGED
        assert "graph_lock" in names(client.post("tools/list").json()["result"])
        assert "graph_lock" in names(modern(server, "tools/list").json()["result"])
        standing.close()
        listening.close()


@pytest.mark.proves("watch:mcp-call:forwards")
def test_what_is_called_through_mcp_call_over_http_needs_the_token(repo: Path) -> None:
    with http(repo) as server:
        read: Json = {"name": "mcp_call", "arguments": {"name": "workflow_list", "arguments": {}}}
        assert modern(server, "tools/call", **read).json()["result"]["structuredContent"] == {"workflows": []}
        write: Json = {"name": "mcp_call", "arguments": {"name": "start_workflow", "arguments": {"name": "x"}}}
        nobody = {"Content-Type": "application/json", "Authorization": ""}
        for call in (read, write):
            assert modern(server, "tools/call", {"Authorization": ""}, **call).status == 401
            body = json.dumps(call["arguments"]).encode()
            assert server.request("POST", "/api/mcp/call", body, nobody)[0] == 401
        assert server.post("/api/mcp/call", read["arguments"]) == (200, {"workflows": []})
        status, answer = server.post("/api/mcp/call", write["arguments"])
        assert (status, list(answer)) == (200, ["workflow_id", "created_at"])


@pytest.mark.proves("watch:mcp-info:transports")
def test_a_server_tells_by_which_transport_it_serves(repo: Path) -> None:
    with stdio(repo) as server, http(repo) as web:
        served = server.call("mcp_info", {})["structuredContent"]
        assert served["transports"]["stdio"] == {"enabled": True}
        assert served["transports"]["http"]["enabled"] is False
        assert served["limits"]["maxInputBytes"] == 4 * 1024 * 1024
        asked = Exchange(
            web, "POST", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "mcp_info"}}
        )
        transports = asked.json()["result"]["structuredContent"]["transports"]
        assert transports["stdio"] == {"enabled": False}
        told = {"enabled": True, "host": "127.0.0.1", "port": web.port, "path": "/mcp"}
        assert told.items() <= transports["http"].items()
