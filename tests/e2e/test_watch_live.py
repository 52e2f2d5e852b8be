"""The orchestrator's document word for word, and runs followed live by other processes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.run import DONE, Node, Run
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from tests.e2e.orchestra import Hall, hall  # noqa: F401  # a fixture
from tests.e2e.processes import HttpServer, StdioServer
from tests.engines.tracked import commit

DEEDLOG = [sys.executable, "-m", "deedlog"]
WATCH = b"""{
  "jsonrpc": "2.0",
  "id": 42,
  "method": "tools/call",
  "params": {
    "name": "resources_watch",
    "arguments": {
      "uri": "sc://runs/run_123/events",
      "from_seq": 0,
      "limit": 100
    }
  }
}
"""
LIST = b"""{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/list"
}
"""
TOOLS = {"mcp_info", "mcp_capabilities", "resources_list", "resources_read", "resources_watch"}
ACCEPT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
Json = dict[str, Any]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    said = {"DEEDLOG_STORE": str(tmp_path / "store"), "DEEDLOG_TOKEN": "secret", "DEEDLOG_ACTOR": "tester"}
    return {**os.environ, **said}


@pytest.fixture
def ledger(tmp_path: Path) -> SqlLedger:
    """The same store, held by another process than the server's: this one."""
    return SqlLedger(Sqlite(str(tmp_path / "store")))


def answer(reply: Json, request_id: int) -> Json:
    assert (reply["jsonrpc"], reply["id"]) == ("2.0", request_id)
    result: Json = reply["result"]
    return result


def check_examples(watched: Json, listed: Json, *, there: bool) -> None:
    assert {tool["name"] for tool in answer(listed, 1)["tools"]} >= TOOLS
    result = answer(watched, 42)
    if there:
        assert [event["kind"] for event in result["structuredContent"]["events"]] == ["run.created"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    else:
        refusal = json.loads(result["content"][0]["text"])
        assert (result["isError"], refusal["ok"], refusal["code"]) == (True, False, "E-RES-NOT_FOUND")


@pytest.mark.proves("watch:example:json-rpc", "watch:tools-list:example")
def test_the_documents_examples_byte_for_byte_over_stdio(
    repo: Path, environment: dict[str, str], ledger: SqlLedger
) -> None:
    with StdioServer([*DEEDLOG, "mcp", "serve"], repo, environment) as server:
        assert server.process.stdin
        for there in (False, True):
            server.process.stdin.write(WATCH + LIST)
            server.process.stdin.flush()
            check_examples(server.receive(), server.receive(), there=there)
            if not there:
                commit(ledger, Run(id="run_123", workflow_id="wf-1", created_at=1))


@pytest.mark.proves("watch:example:json-rpc", "watch:tools-list:example")
def test_the_documents_examples_byte_for_byte_over_http(
    repo: Path, environment: dict[str, str], ledger: SqlLedger
) -> None:
    with HttpServer([*DEEDLOG, "serve", "--port", "0"], repo, environment) as server:
        for there in (False, True):
            replies = [json.loads(server.request("POST", "/mcp", body, ACCEPT)[1]) for body in (WATCH, LIST)]
            check_examples(*replies, there=there)
            if not there:
                commit(ledger, Run(id="run_123", workflow_id="wf-1", created_at=1))


def test_half_a_message_over_several_lines_does_not_swallow_the_next(repo: Path, environment: dict[str, str]) -> None:
    with StdioServer([*DEEDLOG, "mcp", "serve"], repo, environment) as server:
        assert server.process.stdin
        server.process.stdin.write(b'{\n  "jsonrpc": "2.0",\n  "id": 1,\n')
        server.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
        assert server.receive()["error"]["code"] == -32700
        assert answer(server.receive(), 2) == {}


@pytest.mark.proves("watch:resources-watch:wait")
def test_a_waiting_watcher_is_answered_when_another_process_commits(
    repo: Path, environment: dict[str, str], ledger: SqlLedger
) -> None:
    run = Run(id="run_123", workflow_id="wf-1", created_at=1)
    commit(ledger, run)
    with StdioServer([*DEEDLOG, "mcp", "serve"], repo, environment) as server:
        place: Json = {"uri": "sc://runs/run_123/events"}
        place["from_seq"] = server.call("resources_watch", place)["structuredContent"]["next_seq"]
        for number in range(3):
            waiting = {"name": "resources_watch", "arguments": {**place, "wait_ms": 60_000}}
            server.send({"jsonrpc": "2.0", "id": f"wait-{number}", "method": "tools/call", "params": waiting})
            assert server.request("ping") == {}  # it waits beside the others
            commit(ledger, Node(id=f"n{number}", run_id="run_123", name=f"n{number}", created_at=1))
            found = server.receive()
            assert found["id"] == f"wait-{number}"
            told = found["result"]["structuredContent"]
            assert [event["nodeId"] for event in told["events"]] == [f"n{number}"]
            place["from_seq"] = told["next_seq"]
        commit(ledger, ledger.get(Run, "run_123").replace(state=DONE, finished_at=9))
        last = server.call("resources_watch", {**place, "wait_ms": 60_000})["structuredContent"]
        assert (len(last["events"]), last["over"]) == (1, True)


@pytest.mark.proves("watch:resources-watch:live", "watch:resources-watch:ordered")
def test_a_running_workflow_is_followed_from_another_process(hall: Hall) -> None:  # noqa: F811
    hall.agent()
    workflow = hall.workflow("Followed")
    first = hall.job(workflow, "First", "write a.txt x")
    hall.job(workflow, "Second", "write b.txt y", dependsOn=[first])
    run = hall.ask("plan_run", workflow_id=workflow)["run_id"]
    found: list[Json] = []
    with hall.server() as watcher:
        seq, over = 0, False
        while not over:
            page = watcher.ask("resources_watch", uri=f"sc://runs/{run}/events", from_seq=seq, wait_ms=60_000)
            assert page["events"] or page["over"], "nothing happened for a minute"
            found += page["events"]
            seq, over = page["next_seq"], page["over"]
        children = [item["uri"] for item in watcher.ask("resources_list", prefix="sc://children/")["items"]]
        logs = [watcher.ask("resources_read", uri=uri)["payload"]["logs"] for uri in children]
    seqs = [event["seq"] for event in found]
    assert seqs == sorted(set(seqs))
    assert found[-1]["runId"] == run
    done = [event["nodeId"] for event in found if (event["payload"].get("after") or {}).get("state") == "done"]
    assert done[:2] == [f"task-{first}", f"task-{first + 1}"]
    assert {event["childId"] for event in found} > {None}
    assert len(children) == len(logs) == 2
