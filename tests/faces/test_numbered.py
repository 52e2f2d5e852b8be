"""The family with numbers for ids and for errors, through every face."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.testing import app_in
from tests.e2e.processes import HttpServer, StdioServer
from tests.faces.cli.running import Cli
from tests.faces.mcp.speaking import Json, Speaker, envelope
from tests.faces.numbered_plugin import COUNT, MESSAGE

PLUGIN = "tests.faces.numbered_plugin"
ROOT = str(Path(__file__).parent.parent.parent)
ENVIRONMENT = {**os.environ, "PYTHONPATH": ROOT, "DEEDLOG_PLUGINS": PLUGIN, "DEEDLOG_TOKEN": "secret"}
CASES = [
    ("task", -32001, "Task not found", 5),
    ("agent", -32002, "Agent not found", 5),
    ("session", -32003, "Session not found", 5),
    ("status", -32004, MESSAGE, 6),
    ("forbidden", -32004, MESSAGE, 6),
    ("running", -32005, MESSAGE, 6),
    ("configuration", -32006, MESSAGE, 3),
    ("off", -32006, MESSAGE, 3),
    ("argument", -32007, MESSAGE, 2),
    ("git", -32008, MESSAGE, 5),
    ("branch", -32008, MESSAGE, 5),
]
OTHERS = [
    ("database", -32009, MESSAGE, 4),
    ("memory", -32010, MESSAGE, 5),
    ("bug", -32603, "pebble_break failed unexpectedly", 1),
]
NUMBERS = [(5, 5), ("5", 5), (" 5 ", 5), ("pebble-5", 5), ("pebble://5", 5), (5.0, 5)]
NO_NUMBERS = [1.5, "1.5", -1, "-1", 0, "NaN", "task-5", "pebble-", "five", "", True, [5], {"id": 5}, 1e300]


@pytest.fixture(params=[False, True], ids=["legacy", "modern"])
def client(tmp_path: Path, request: pytest.FixtureRequest) -> Speaker:
    speaker = Speaker(app_in(str(tmp_path / "store"), plugins=(PLUGIN,)), modern=request.param)
    if not request.param:
        speaker.initialize()
    return speaker


@pytest.fixture
def numbered(repo: Path, tmp_path: Path) -> Cli:
    return Cli(repo, tmp_path / "home", PYTHONPATH=ROOT, DEEDLOG_PLUGINS=PLUGIN)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("numbered")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    with HttpServer([sys.executable, "-m", "deedlog", "serve", "--port", "0"], folder, ENVIRONMENT) as running:
        yield running


@pytest.mark.proves("error:004:codes", "error:004:others")
@pytest.mark.parametrize(("how", "code", "message", "_exit"), CASES + OTHERS)
def test_a_refusal_is_a_json_rpc_error_with_its_number(
    client: Speaker, how: str, code: int, message: str, _exit: int
) -> None:
    error = client.refused("tools/call", name="pebble_break", arguments={"how": how})
    assert (error["code"], error["message"]) == (code, message)
    assert {"kind", "hint"} <= error["data"].keys()


@pytest.mark.proves("error:004:codes", "error:004:others")
@pytest.mark.parametrize(("how", "_code", "_message", "code"), CASES + OTHERS)
def test_on_the_command_line_it_is_an_exit_code(numbered: Cli, how: str, _code: int, _message: str, code: int) -> None:
    assert numbered.run("pebble", "break", how).returncode == code


@pytest.mark.proves("error:004:codes")
@pytest.mark.parametrize(
    ("how", "data"),
    [
        ("task", {"taskId": 999}),
        ("agent", {"agentId": "nobody"}),
        ("session", {"sessionId": 7}),
        ("memory", {"memoryId": "7"}),
        ("status", {"taskId": 5, "status": "done"}),
        ("running", {"taskId": 5, "runningSessionId": 3}),
        ("argument", {"field": "how"}),
    ],
)
def test_its_data_names_things_as_the_family_does(client: Speaker, how: str, data: Json) -> None:
    error = client.refused("tools/call", name="pebble_break", arguments={"how": how})
    assert {name: error["data"][name] for name in data} == data


@pytest.mark.proves("error:004:codes")
@pytest.mark.parametrize("arguments", [{}, {"how": "nope"}, {"how": 5}, {"nope": 1}])
def test_mistaken_arguments_have_their_number_too(client: Speaker, arguments: Json) -> None:
    assert client.refused("tools/call", name="pebble_break", arguments=arguments)["code"] == -32007


@pytest.mark.proves("task:id:whole")
@pytest.mark.parametrize(("given", "meant"), NUMBERS, ids=repr)
def test_a_number_may_be_given_by_the_name_of_what_it_numbers(client: Speaker, given: Any, meant: int) -> None:
    assert client.call("pebble_get", pebbleId=given)["structuredContent"]["pebbleId"] == meant
    assert client.call("pebble_get", pebble_id=given)["structuredContent"]["pebbleId"] == meant
    answer = client.call("pebble_get", pebbleId=1, smallerThan=[given, 9])["structuredContent"]
    assert answer["smallerThan"] == [meant, 9]


@pytest.mark.proves("task:id:whole")
@pytest.mark.parametrize("given", NO_NUMBERS, ids=repr)
def test_what_is_no_whole_number_from_1_is_refused(client: Speaker, given: Any) -> None:
    error = client.refused("tools/call", name="pebble_get", arguments={"pebbleId": given})
    assert (error["code"], error["data"]["field"]) == (-32007, "pebbleId")


@pytest.mark.proves("task:id:whole")
@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_a_line_with_what_json_has_no_word_for_is_no_message(repo: Path, text: str) -> None:
    with StdioServer([sys.executable, "-m", "deedlog", "mcp", "serve"], repo, ENVIRONMENT) as running:
        assert running.process.stdin
        call = {"name": "pebble_get", "arguments": {"pebbleId": float(text)}}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        running.process.stdin.write(line.encode() + b"\n")
        running.process.stdin.flush()
        assert running.receive()["error"]["code"] == -32700


@pytest.mark.proves("task:id:whole")
@pytest.mark.parametrize("text", ["5", "pebble-5", "pebble://5"])
def test_a_command_takes_both_forms(numbered: Cli, text: str) -> None:
    done = numbered.run("pebble", "get", text, "--smaller-than", text, "--smaller-than", "9", "--json")
    assert json.loads(done.stdout) == {"pebbleId": 5, "smallerThan": [5, 9]}


@pytest.mark.proves("task:id:whole")
@pytest.mark.parametrize("text", ["1.5", "NaN", "-1", "0", "task-5", "five", "", "1e400", "Infinity"])
@pytest.mark.parametrize("option", [[], ["--pebble-id"], ["9", "--smaller-than"]], ids=" ".join)
def test_a_command_refuses_what_is_no_whole_number_from_1(numbered: Cli, text: str, option: list[str]) -> None:
    done = numbered.run("pebble", "get", *option, text)
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: " in done.stderr


@pytest.mark.proves("task:id:whole")
def test_a_word_that_says_what_it_numbers_needs_no_option(numbered: Cli) -> None:
    done = numbered.run("pebble", "find", "pebble-5", "--json")
    assert json.loads(done.stdout) == {"pebbleId": 5, "smallerThan": []}
    done = numbered.run("pebble", "find", "flint-7", "flint-8", "--json")
    assert json.loads(done.stdout) == {"pebbleId": 1, "smallerThan": [7, 8]}
    for words in (["5"], ["task-5"], ["pebble-5", "pebble-6"]):
        assert numbered.run("pebble", "find", *words).returncode == 2
    assert "hint: write pebble-5 or flint-5" in numbered.run("pebble", "find", "5").stderr


def test_pages_go_on_by_either_spelling_of_the_cursor(numbered: Cli) -> None:
    first = numbered.run("pebble", "list")
    assert len(first.stdout.splitlines()) == 1 + 20
    more, cursor = first.stderr.strip().rsplit(" ", 1)
    assert more == "more: --all, or --cursor"
    assert json.loads(numbered.run("pebble", "list", "--cursor", cursor, "--json").stdout)["pebbles"][0] == {
        "pebbleId": 21,
        "smallerThan": [],
    }
    every = json.loads(numbered.run("pebble", "list", "--all", "--json").stdout)
    assert [row["pebbleId"] for row in every["pebbles"]] == list(range(1, COUNT + 1))
    assert list(every) == ["pebbles"]


def test_quiet_prints_the_ids_alone(numbered: Cli) -> None:
    assert numbered.run("pebble", "get", "7", "--quiet").stdout == "7\n"
    assert numbered.run("pebble", "list", "--limit", "3", "--quiet").stdout == "1\n2\n3\n"
    assert numbered.run("pebble", "list", "--all", "--quiet").stdout.split() == [str(n + 1) for n in range(COUNT)]
    started = numbered.run("workflow", "start", "x", "--quiet").stdout
    assert started == numbered.run("workflow", "list", "--quiet").stdout
    assert started.startswith("wf-")


@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_over_http_it_is_the_same_error_and_the_exchange_succeeded(server: HttpServer, *, modern: bool) -> None:
    params: Json = {"name": "pebble_break", "arguments": {"how": "task"}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": "Bearer secret",
    }
    if modern:
        params["_meta"] = envelope()
        headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "pebble_break"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    status, body = server.request("POST", "/mcp", json.dumps(message).encode(), headers)
    assert status == 200
    error = json.loads(body)["error"]
    assert (error["code"], error["message"], error["data"]["taskId"]) == (-32001, "Task not found", 999)


@pytest.mark.parametrize(
    ("how", "status"),
    [("task", 404), ("status", 409), ("argument", 422), ("off", 403), ("database", 503), ("bug", 500)],
)
def test_the_http_address_has_its_status(server: HttpServer, how: str, status: int) -> None:
    assert server.post("/api/pebble/break", {"how": how})[0] == status


def test_the_http_api_describes_and_takes_the_family_s_spelling(server: HttpServer) -> None:
    schema = server.get("/api/openapi.json")["paths"]["/api/pebble/get"]["post"]
    inputs = schema["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert list(inputs) == ["pebbleId", "smallerThan"]
    assert server.post("/api/pebble/get", {"pebbleId": "pebble-5"}) == (200, {"pebbleId": 5, "smallerThan": []})
