"""A program that has the token of a running server, and answers the questions of Deedlog by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import HttpServer
from tests.e2e.test_permissions import Wary
from tests.e2e.workbench import DEEDLOG, Bench
from tests.faces.mcp.speaking import envelope
from tests.faces.web.test_mcp import Exchange, Legacy

Json = dict[str, Any]
YES = {"action": "accept", "content": {"decision": "once"}}
ABLE: Json = {"elicitation": {}}


@pytest.fixture
def bench(repo: Path, tmp_path: Path) -> Bench:
    return Wary(repo, tmp_path / "home", DEEDLOG_TOKEN="secret")


@contextmanager
def serving(bench: Bench) -> Iterator[HttpServer]:
    with HttpServer([DEEDLOG, "serve", "--port", "0"], bench.repo, bench.environment) as server:
        yield server


def legacy(server: HttpServer, tool: str, reply: Json, **arguments: Any) -> Json:
    """The reply to a call of the old era, whose client answers whatever it is asked."""
    client = Legacy(server, **ABLE)
    call = client.post("tools/call", name=tool, arguments=arguments)
    if "event-stream" not in call.response.headers.get("content-type", ""):
        return dict(call.json())
    for message in call.events():
        if "method" in message and "id" in message:
            client.send({"jsonrpc": "2.0", "id": message["id"], "result": reply})
        elif "method" not in message:
            call.close()
            return message
    raise AssertionError("the call was not answered")


def modern(server: HttpServer, tool: str, reply: Json, **arguments: Any) -> Json:
    """The same in the new era."""
    given: Json = {}
    while True:
        params = {"name": tool, "arguments": arguments, "_meta": envelope(ABLE), **given}
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": tool}
        exchange = Exchange(server, "POST", message, Accept="application/json", **headers)
        said: Json = exchange.json()
        if said.get("result", {}).get("resultType") != "input_required":
            return said
        asked = said["result"]["inputRequests"]
        given = {"requestState": said["result"]["requestState"], "inputResponses": dict.fromkeys(asked, reply)}


@pytest.mark.proves("rights:form", "rights:kinds")
@pytest.mark.parametrize("ask", [legacy, modern])
def test_a_program_that_answers_its_own_form_approves_nothing(bench: Bench, ask: Any) -> None:
    with serving(bench) as server:
        said = json.dumps(ask(server, "agent_create", YES, name="own", command=["sh", "-c", "id"]))
    assert "agent_create needs a person" in said
    (item,) = bench.cli("attention")["items"]
    assert (item["kind"], item["review_id"] in said) == ("permission", True)
    assert "own" not in [row["name"] for row in bench.cli("agent", "list")["agents"]]
    assert bench.cli("review", "list", "--status", "closed")["reviews"] == []


@pytest.mark.proves("rights:form")
@pytest.mark.parametrize("ask", [legacy, modern])
def test_a_program_that_approves_a_server_of_the_repository_does_not_start_it(bench: Bench, ask: Any) -> None:
    ran = bench.repo.parent / "ran"
    server = {"command": "touch", "args": [str(ran)]}
    (bench.repo / ".mcp.json").write_text(json.dumps({"mcpServers": {"own": server}}))
    approve = {"action": "accept", "content": {"decision": "approve"}}
    with serving(bench) as running:
        said = json.dumps(ask(running, "mcp_activate", approve, name="own"))
    assert "no person has approved it" in said
    assert not ran.exists()


@pytest.mark.proves("rights:actors")
def test_over_http_no_session_takes_the_conversation_of_another(bench: Bench) -> None:
    meta = {"sessionId": "01999f2e-7a3b-7cc1-8f00-3d2a9b1c5e77"}
    with serving(bench) as server:
        for title in ("One", "Two"):
            call = Legacy(server).post("tools/call", name="task_create", arguments={"title": title}, _meta=meta)
            assert call.status == 200
    bench.environment["CODEX_THREAD_ID"] = meta["sessionId"]
    bench.cli("task", "create", "Three")
    actors = [event["actor"] for event in bench.cli("event", "list", "--kind", "task.created")["events"]]
    assert len({actor.partition("/")[2] for actor in actors}) == 3


@pytest.mark.proves("rights:form")
@pytest.mark.parametrize("ask", [legacy, modern])
def test_forms_count_where_the_user_gave_the_token_a_person_s_rights(bench: Bench, ask: Any) -> None:
    folder = Path(bench.environment["HOME"]) / ".config/deedlog"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('token_rights = "person"\n')
    with serving(bench) as server:
        ask(server, "agent_create", YES, name="own", command=["true"])
    assert "own" in [row["name"] for row in bench.cli("agent", "list")["agents"]]
    (row,) = bench.cli("review", "list", "--status", "closed")["reviews"]
    assert (row["reason"], row["verdict"]) == ("permission", "approved")
