"""Mounted servers over streamable HTTP, through a real server, in both eras."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import HttpServer
from tests.engines.gateway.stub_server import stub
from tests.faces.mcp.speaking import until
from tests.faces.web.conftest import ROOT, SERVE
from tests.faces.web.test_mcp import Exchange, Legacy, modern

Json = dict[str, Any]
TOKEN = {"Authorization": "Bearer secret"}


class Served(HttpServer):
    """`deedlog serve` of somebody who has configured two servers, one of them to be there from the start."""

    def __init__(self, folder: Path) -> None:
        project, home = folder / "project", folder / "home"
        self.record = folder / "stub.record"
        self.gate = folder / "gate"
        self.environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), "DEEDLOG_TOKEN": "secret"}
        self.environment.pop("XDG_CONFIG_HOME", None)
        subprocess.run(["git", "init", "--quiet", str(project)], check=True)
        command, *args = stub("--record", self.record, "--just", "echo,wait,ask,refuse,steps")
        booted, *more = stub("--just", "echo", "--only-tools")
        servers = {
            "stub": {"command": command, "args": args},
            "early": {"command": booted, "args": more, "boot": True},
        }
        (home / ".config/deedlog").mkdir(parents=True)
        (home / ".config/deedlog/servers.json").write_text(json.dumps({"mcpServers": servers}))
        super().__init__(SERVE, project, self.environment)

    def received(self, method: str) -> list[Json]:
        lines = self.record.read_text().splitlines(keepends=True) if self.record.exists() else []
        every = [json.loads(line) for line in lines if line.endswith("\n")]
        return [message for message in every if message.get("method") == method]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("hosting")) as running:
        answer = called(running, "mcp_activate", name="stub")
        assert answer["result"]["structuredContent"]["status"] == "active"
        yield running


def last(exchange: Exchange) -> Json:
    """The reply, be it alone or the last of a stream."""
    if "event-stream" not in exchange.response.headers.get("content-type", ""):
        found: Json = exchange.json()
        return found
    return messages(exchange)[-1]


def messages(exchange: Exchange) -> list[Json]:
    found = list(exchange.events())
    exchange.close()
    return found


def called(server: HttpServer, tool: str, headers: dict[str, str] | None = None, **arguments: Any) -> Json:
    given = TOKEN if headers is None else headers
    return last(modern(server, "tools/call", given, name=tool, arguments=arguments))


def test_a_mounted_tool_is_listed_and_called_in_both_eras(served: Served) -> None:
    assert called(served, "stub__echo", a=1)["result"]["structuredContent"]["arguments"] == {"a": 1}
    client = Legacy(served)
    listed = [tool["name"] for tool in last(client.post("tools/list"))["result"]["tools"]]
    assert "stub__echo" in listed
    reply = last(client.post("tools/call", TOKEN, name="stub__echo", arguments={"b": 2}))
    assert reply["result"]["structuredContent"]["arguments"] == {"b": 2}


def test_a_server_that_is_to_be_there_from_the_start_is(served: Served) -> None:
    until(lambda: "result" in called(served, "early__echo"))


@pytest.mark.proves("gate:mount:token")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "stub__echo", "arguments": {}}),
        ("tools/call", {"name": "mcp_call", "arguments": {"server": "stub", "tool": "echo"}}),
        ("tools/call", {"name": "mcp_activate", "arguments": {"name": "stub"}}),
        ("resources/read", {"uri": "mcp://stub/stub://a"}),
        ("prompts/get", {"name": "stub__greet", "arguments": {"who": "Ada"}}),
    ],
    ids=["a tool", "mcp_call", "mcp_activate", "a resource", "a prompt"],
)
def test_nothing_is_handed_on_without_the_token(served: Served, method: str, params: Json) -> None:
    before = len(served.received(method))
    nobody = {"Authorization": ""}
    for exchange in (modern(served, method, nobody, **params), Legacy(served).post(method, nobody, **params)):
        assert exchange.status == 401
    assert len(served.received(method)) == before


@pytest.mark.proves("gate:mount:token")
def test_no_server_is_started_without_the_token_to_look_at_it(served: Served) -> None:
    before = len(served.received("initialize"))
    headers = {"Content-Type": "application/json", "Authorization": ""}
    body = json.dumps({"name": "stub"}).encode()
    assert served.request("POST", "/api/mcp/test", body, headers)[0] == 401
    assert len(served.received("initialize")) == before


def test_the_api_calls_a_mounted_tool_by_server_and_name(served: Served) -> None:
    body = {"server": "stub", "name": "echo", "arguments": {"c": 3}}
    status, answer = served.post("/api/mcp/call", body)
    assert (status, answer["structuredContent"]["arguments"]) == (200, {"c": 3})
    assert "/api/" not in served.get("/api/openapi.json")["paths"], "a mounted tool has no address of its own"
    headers = {"Content-Type": "application/json", "Authorization": ""}
    assert served.request("POST", "/api/mcp/call", json.dumps(body).encode(), headers)[0] == 401
    assert served.request("POST", "/api/", b"{}", headers | TOKEN)[0] == 404


def test_an_error_of_the_server_keeps_its_code(served: Served) -> None:
    error = called(served, "stub__refuse", code=-32077, text="theirs")["error"]
    assert (error["code"], error["message"]) == (-32077, "stub refused tools/call")


def test_a_client_of_the_new_era_is_asked_by_a_server_of_the_old(served: Served) -> None:
    asked = {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object"}}}
    before = len(served.received("tools/call"))
    first = last(modern(served, "tools/call", TOKEN, name="stub__ask", arguments=asked))["result"]
    assert first["resultType"] == "input_required"
    (key,) = first["inputRequests"]
    reply = {"action": "accept", "content": {"name": "Ada"}}
    again = {"inputResponses": {key: reply}, "requestState": first["requestState"]}
    result = last(modern(served, "tools/call", TOKEN, name="stub__ask", arguments=asked, **again))["result"]
    assert result["structuredContent"]["told"]["result"] == reply
    assert len(served.received("tools/call")) == before + 1


def test_progress_comes_before_the_answer(served: Served) -> None:
    exchange = modern(
        served, "tools/call", TOKEN, name="stub__steps", arguments={"count": 2}, _meta={"progressToken": "p"}
    )
    *told, reply = messages(exchange)
    assert [one["params"]["progress"] for one in told] == [1, 2]
    assert reply["result"]["content"]


def test_a_client_that_leaves_has_its_call_cancelled_at_the_server(served: Served) -> None:
    before = len(served.received("notifications/cancelled"))
    calls = len(served.received("tools/call"))
    leaving = Legacy(served)
    message = leaving.message("tools/call", name="stub__wait", arguments={})
    threading.Thread(target=leaving.send, args=[message], kwargs=TOKEN, daemon=True).start()
    until(lambda: len(served.received("tools/call")) > calls)
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}}
    assert leaving.send(cancelled).status == 202
    until(lambda: len(served.received("notifications/cancelled")) > before)


def test_a_hundred_calls_are_under_way_at_once(served: Served) -> None:
    calls = len(served.received("tools/call"))
    answers: list[Json] = []

    def call() -> None:
        answers.append(called(served, "stub__wait", file=str(served.gate)))

    threads = [threading.Thread(target=call, daemon=True) for _ in range(105)]
    for thread in threads:
        thread.start()
    until(lambda: len(served.received("tools/call")) == calls + 105)
    assert "result" in called(served, "start_workflow", name="meanwhile")
    served.gate.touch()
    for thread in threads:
        thread.join(60)
    assert [answer["result"]["content"][0]["text"] for answer in answers] == ["waited"] * 105


def test_the_instructions_tell_what_is_active(served: Served) -> None:
    told = last(modern(served, "server/discover"))["result"]["instructions"]
    active = told.partition("## Active")[2].partition("## Available")[0]
    assert "stub" in active
    assert len(told) <= 4_000
