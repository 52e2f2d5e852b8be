"""The orchestrator over HTTP: the same tools, refusals and long polls as over stdio, on one store with it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.orchestra import ALL_ON, environment
from tests.e2e.processes import HttpServer, StdioServer
from tests.e2e.workbench import DEEDLOG

Json = dict[str, Any]
FOUND, MISSING, CONFLICT = 200, 404, 409
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Authorization": "Bearer secret",
}


class Web(HttpServer):
    def tool(self, name: str, **arguments: object) -> Json:
        """What the tool answers at /mcp."""
        params = {"name": name, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode()
        status, said = self.request("POST", "/mcp", body, HEADERS)
        assert status == FOUND, said
        text = said.decode()
        found = text if text.startswith("{") else text[text.index("{") : text.rindex("}") + 1]
        result: Json = json.loads(found)["result"]
        return result


@pytest.fixture
def told() -> dict[str, str]:
    return environment(DEEDLOG_ENABLE=ALL_ON, DEEDLOG_TOKEN="secret")


@pytest.fixture
def web(repo: Path, told: dict[str, str]) -> Iterator[Web]:
    with Web([DEEDLOG, "serve", "--port", "0"], repo, told) as started:
        yield started


@pytest.fixture
def stdio(repo: Path, told: dict[str, str]) -> Iterator[StdioServer]:
    with StdioServer([DEEDLOG, "mcp", "serve"], repo, told) as started:
        yield started


@pytest.mark.proves("watch:mcp-info:transports", "watch:answer:structured")
def test_a_server_on_http_says_where_it_is_and_one_on_stdio_that_it_is_nowhere(web: Web, stdio: StdioServer) -> None:
    found = web.tool("mcp_info")
    assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
    there = found["structuredContent"]["transports"]
    assert (there["http"]["enabled"], there["http"]["port"], there["stdio"]["enabled"]) == (True, web.port, False)
    here = stdio.call("mcp_info", {})["structuredContent"]["transports"]
    assert here["stdio"]["enabled"] is True
    assert [here["http"][name] for name in ("enabled", "host", "port", "path")] == [False, None, None, None]


@pytest.mark.proves("locks:every-writer", "error:001:shape")
def test_what_one_client_holds_on_stdio_another_on_http_cannot_change(web: Web, stdio: StdioServer) -> None:
    nodes = [{"id": "a"}]
    assert web.post("/api/graph/create", {"name": "A plan", "graph_id": "plan", "nodes": nodes})[0] == FOUND
    lock = stdio.call("graph_lock", {"graph_id": "plan", "holder": "ann"})["structuredContent"]
    change: Json = {"graph_id": "plan", "operations": [{"op": "add_node", "node": {"id": "b"}}], "owner": "bob"}
    status, body = web.post("/api/graph/mutate", change)
    assert (status, body["error"]["kind"]) == (CONFLICT, "conflict")
    refused = web.tool("graph_mutate", **change)
    said = json.loads(refused["content"][0]["text"])
    assert (refused["isError"], said["ok"], said["code"]) == (True, False, "E-LOCK-HELD")
    assert web.post("/api/graph/unlock", {"lock_id": lock["lock_id"]})[0] == FOUND
    assert web.post("/api/graph/mutate", change)[1]["version"] == 2
    assert web.post("/api/resource/read", {"uri": "sc://graphs/plan@v1"})[1]["payload"]["graph"]["nodes"] == [
        {"id": "a", "attributes": {}}
    ]
    assert web.post("/api/resource/read", {"uri": "sc://graphs/nobody"})[0] == MISSING


@pytest.mark.proves("watch:resources-watch:wait")
def test_a_watcher_on_http_is_told_of_what_another_process_does(web: Web, stdio: StdioServer) -> None:
    stdio.call("bb_set", {"key": "team/lead", "value": "ann"})
    watched = {"uri": "sc://blackboard/team", "wait_ms": 30_000}
    seq = web.post("/api/resource/watch", watched)[1]["next_seq"]
    answers: list[Json] = []
    waiting = threading.Thread(
        target=lambda: answers.append(web.post("/api/resource/watch", {**watched, "from_seq": seq})[1])
    )
    waiting.start()
    stdio.call("bb_set", {"key": "team/lead", "value": "bob"})
    waiting.join(timeout=60)
    (answer,) = answers
    assert [event["seq"] > seq for event in answer["events"]] == [True]
    assert answer["next_seq"] == answer["events"][-1]["seq"]
