"""The sc:// resources as MCP has them: templates, lists, contents, completion, subscriptions, and refusals by code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.graph import Graph, Tx
from deedlog.core.run import DONE, Node, Run
from deedlog.core.task import Session
from deedlog.testing import app_on
from tests.faces.mcp.speaking import Json, Speaker, until
from tests.faces.mcp.test_resources_of_004 import each_era, follow, listed, read, told
from tests.ops.resources.conftest import Shelf

TEMPLATES = {
    "sc://graphs/{graph_id}",
    "sc://graphs/{graph_id}@v{version}",
    "sc://snapshots/{graph_id}/{tx_id}",
    "sc://runs/{run_id}/events",
    "sc://children/{child_id}/logs",
    "sc://blackboard/{namespace}",
}


@pytest.fixture
def shelf(app: App) -> Shelf:
    shelf = Shelf(app)
    shelf.graph("g", versions=2)
    shelf.tx("tx-1", "g")
    shelf.run("run_123")
    shelf.printed(shelf.child(12), 1, "hello")
    shelf.entry("ns:x")
    return shelf


def refusal(client: Speaker, tool: str, **arguments: Any) -> Json:
    result = client.call(tool, **arguments)
    assert result["isError"] is True
    found: Json = json.loads(result["content"][0]["text"])
    return found


def completed(client: Speaker, template: str, name: str, value: str, **context: Any) -> list[str]:
    ref = {"type": "ref/resource", "uri": template}
    more = {"context": {"arguments": context}} if context else {}
    found = client.ask("completion/complete", ref=ref, argument={"name": name, "value": value}, **more)
    values: list[str] = found["completion"]["values"]
    return values


@each_era
@pytest.mark.proves("watch:resources:native")
def test_all_are_templates_and_listed_and_read(client: Speaker, shelf: Shelf) -> None:
    templates = client.ask("resources/templates/list")["resourceTemplates"]
    assert {row["uriTemplate"] for row in templates} >= TEMPLATES
    assert len({row["name"] for row in templates}) == len(templates)
    rows = listed(client)
    for uri in shelf.uris(limit=500):
        assert rows[uri]["mimeType"] == "application/json"
        answer = json.loads(read(client, uri)["text"])
        assert answer == client.call("resources_read", uri=uri)["structuredContent"]


@each_era
@pytest.mark.proves("watch:resources:native")
def test_what_is_not_there_is_refused_by_its_uri(client: Speaker, shelf: Shelf) -> None:
    assert shelf.uris()
    for uri in ("sc://graphs/none", "sc://runs/none/events", "sc://children/99/logs", "sc://graphs/g@v9"):
        error = client.refused("resources/read", uri=uri)
        assert (error["code"], error["data"]["uri"]) == (-32602 if client.modern else -32002, uri)


@each_era
@pytest.mark.proves("watch:resources:native")
def test_the_variables_of_templates_are_completed(client: Speaker, shelf: Shelf) -> None:
    shelf.graph("gg")
    assert completed(client, "sc://graphs/{graph_id}", "graph_id", "g") == ["g", "gg"]
    assert completed(client, "sc://graphs/{graph_id}@v{version}", "graph_id", "") == ["g", "gg"]
    assert completed(client, "sc://graphs/{graph_id}@v{version}", "version", "", graph_id="g") == ["1", "2"]
    assert completed(client, "sc://runs/{run_id}/events", "run_id", "run_") == ["run_123"]
    assert completed(client, "sc://children/{child_id}/logs", "child_id", "s") == ["session-12"]
    assert completed(client, "sc://snapshots/{graph_id}/{tx_id}", "tx_id", "tx", graph_id="g") == ["tx-1"]
    assert completed(client, "sc://blackboard/{namespace}", "namespace", "x") == []


@each_era
@pytest.mark.proves("watch:resources:native")
def test_a_subscriber_learns_of_what_changed_and_of_nothing_else(client: Speaker, shelf: Shelf) -> None:
    followed = ["sc://graphs/g", "sc://graphs/g@v2", "sc://runs/run_123/events", "sc://blackboard/ns"]
    follow(client, *followed, "sc://snapshots/g/tx-1")
    shelf.run("another")
    shelf.entry("other:x")
    shelf.graph("other")
    shelf.node("build")
    until(lambda: told(client) == ["sc://runs/run_123/events"])
    shelf.put(shelf.app.ledger.get(Run, "run_123").replace(state=DONE))
    shelf.entry("ns:y")
    shelf.put(shelf.app.ledger.get(Graph, "g").replace(name="new"))
    shelf.put(shelf.app.ledger.get(Tx, "tx-1").replace(state="rolled_back"))
    expected = ["sc://runs/run_123/events"] * 2 + ["sc://blackboard/ns", "sc://graphs/g", "sc://snapshots/g/tx-1"]
    until(lambda: told(client) == expected)
    client.dispatcher.close()


@each_era
@pytest.mark.proves("watch:resources:native")
def test_one_commit_is_told_once_however_many_events_it_has(client: Speaker, shelf: Shelf) -> None:
    run = "sc://runs/run_123/events"
    follow(client, run, "sc://blackboard/ns")
    nodes = [Node(id=f"run_123:{n}", run_id="run_123", name=str(n), created_at=1) for n in range(7)]
    shelf.put(*nodes)
    shelf.put(*(node.replace(state=DONE, version=1) for node in nodes))
    shelf.entry("ns:last")
    until(lambda: told(client)[-1:] == ["sc://blackboard/ns"])
    assert told(client) == [run, run, "sc://blackboard/ns"]
    client.dispatcher.close()


@each_era
@pytest.mark.proves("watch:resources:native")
def test_a_change_of_a_workflows_tasks_is_one_of_its_graph(client: Speaker, shelf: Shelf) -> None:
    workflow = shelf.call("start_workflow", name="a goal")["workflow_id"]
    follow(client, f"sc://graphs/{workflow}")
    shelf.call("task_create", title="first", workflowId=workflow)
    until(lambda: told(client) == [f"sc://graphs/{workflow}"])
    client.dispatcher.close()


@each_era
@pytest.mark.proves("watch:resources:native")
def test_what_a_child_prints_is_told_only_to_who_follows_its_log(client: Speaker, app: App, shelf: Shelf) -> None:
    """Also by its bare number, and to who asked before there was such a child."""
    follow(client, "sc://children/12/logs", "sc://children/session-12/logs", "sc://children/13/logs")
    other = Speaker(app)
    other.initialize()
    follow(other, "sc://runs/run_123/events")
    child = app.ledger.get(Session, "12")
    shelf.printed(child, 2, "more")
    shelf.printed(shelf.child(13), 1, "another")
    shelf.node("last")
    until(lambda: told(other))
    until(lambda: len(told(client)) >= 3)
    assert told(other) == ["sc://runs/run_123/events"]
    logs = ["sc://children/12/logs", "sc://children/session-12/logs", "sc://children/13/logs"]
    assert told(client) == logs
    for speaker in (client, other):
        speaker.dispatcher.close()


@each_era
@pytest.mark.proves("error:001:shape", "watch:resources-read:unknown")
def test_refusals_have_the_codes_of_the_document(client: Speaker, shelf: Shelf) -> None:
    assert shelf.uris()
    unknown = refusal(client, "resources_read", uri="sc://graphs/none")
    assert (unknown["ok"], unknown["code"]) == (False, "E-RES-NOT_FOUND")
    assert refusal(client, "resources_watch", uri="sc://runs/none/events")["code"] == "E-RES-NOT_FOUND"
    unsupported = refusal(client, "resources_watch", uri="sc://graphs/g")
    assert (unsupported["code"], unsupported["hint"]) == ("E-RES-UNSUPPORTED", "watch_not_supported")
    assert refusal(client, "resources_list", limit=501)["code"] == "E-RES-INVALID-INPUT"
    assert refusal(client, "events_subscribe")["code"] == "EVENTS_BUS_DISABLED"


@pytest.mark.proves("error:001:shape", "events-bus:subscribe:exclusive")
def test_a_wrong_filter_of_the_bus_is_refused_by_its_code(app: App) -> None:
    client = Speaker(app_on(app.ledger.database, enable=["events-bus"]))  # type: ignore[attr-defined]
    client.initialize()
    assert refusal(client, "events_subscribe", cats=["nope"])["code"] == "E-EVT-INVALID"
    assert refusal(client, "logs_tail", stream="run", id="none")["code"] == "E-EVT-NOTFOUND"
