from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.guide import BRIEF
from deedlog.faces.mcp.dispatch import Connection
from deedlog.testing import app_in, caller
from tests.faces.mcp.speaking import Json, Speaker, envelope, until

PLUGIN = "tests.faces.mcp.plugin"
ADA = {"action": "accept", "content": {"name": "Ada"}}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return app_in(str(tmp_path / "store"), plugins=(PLUGIN,), agents_may=["*"])


@pytest.fixture
def client(app: App) -> Speaker:
    return Speaker(app, modern=True, capabilities={"elicitation": {}})


@pytest.mark.proves("face:mcp:modern")
def test_discover_says_what_there_is(client: Speaker) -> None:
    found = client.ask("server/discover")
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["instructions"].startswith(BRIEF)
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "deedlog"
    assert "logging" not in found["capabilities"]


@pytest.mark.proves("face:mcp:modern")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("prompts/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "note://fixed"}),
    ],
)
def test_results_say_that_they_are_complete_and_how_long_they_hold(client: Speaker, method: str, params: Json) -> None:
    result = client.ask(method, **params)
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")
    assert "ttlMs" not in client.call("workflow_list")


@pytest.mark.proves("face:mcp:modern")
@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"])
def test_what_the_revision_removed_is_not_there(client: Speaker, method: str) -> None:
    assert client.refused(method, uri="note://fixed", level="info")["code"] == -32601


@pytest.mark.proves("face:mcp:modern")
@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({}, -32602),
        ({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, -32602),
        (envelope() | {"io.modelcontextprotocol/clientCapabilities": []}, -32602),
        (envelope() | {"io.modelcontextprotocol/protocolVersion": 5}, -32602),
        (envelope() | {"io.modelcontextprotocol/logLevel": "loud"}, -32602),
        (envelope() | {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}, -32022),
    ],
)
def test_an_envelope_that_is_not_right_is_refused(client: Speaker, meta: Json, code: int) -> None:
    error = client.say({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}})["error"]
    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2025-11-25"}


def test_both_eras_work_on_one_connection(app: App, client: Speaker) -> None:
    assert client.ask("tools/list")["resultType"] == "complete"
    client.modern = False
    assert client.initialize()["protocolVersion"] == "2025-11-25"
    assert "resultType" not in client.ask("tools/list")


@pytest.mark.proves("face:mcp:actor")
def test_the_envelope_names_the_actor(client: Speaker) -> None:
    client.call("start_workflow", name="x")
    assert client.call("event_list")["structuredContent"]["events"][0]["actor"].startswith("newcomer/")


@pytest.mark.proves("face:mcp:resources")
def test_an_unknown_resource_is_a_wrong_parameter(client: Speaker) -> None:
    error = client.refused("resources/read", uri="workflow://wf-0")
    assert (error["code"], error["data"]["uri"]) == (-32602, "workflow://wf-0")


def test_logs_come_only_to_a_request_that_asked_for_them(client: Speaker) -> None:
    client.ask("tools/call", name="report_steps")
    assert client.heard == []
    client.ask("tools/call", name="report_steps", _meta={"io.modelcontextprotocol/logLevel": "warning"})
    assert [message["params"]["level"] for message in client.heard] == ["warning"]


@pytest.mark.proves("face:mcp:subscriptions", "face:mcp:list-changed")
def test_a_stream_acknowledges_first_and_carries_what_was_asked_for(app: App, tmp_path: Path, client: Speaker) -> None:
    other = app_in(str(tmp_path / "store"))
    ids = [other.call("start_workflow", {"name": str(n)}, caller())["workflow_id"] for n in range(2)]
    wishes = {"toolsListChanged": True, "resourceSubscriptions": [f"workflow://{ids[0]}"]}
    message = client.message("subscriptions/listen", notifications=wishes)
    assert client.say(message) is None
    acknowledged, *_ = client.heard
    tag = {"io.modelcontextprotocol/subscriptionId": message["id"]}
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"] == {"notifications": wishes, "_meta": tag}
    for workflow_id in ids:
        other.call("complete_workflow", {"workflow_id": workflow_id}, caller())
    app.catalog.remove("review")
    app.catalog.remove("report_steps")
    until(lambda: client.notifications("notifications/resources/updated"))
    assert client.notifications("notifications/prompts/list_changed") == []
    assert [m["params"] for m in client.notifications("notifications/tools/list_changed")] == [{"_meta": tag}]
    assert [m["params"] for m in client.notifications("notifications/resources/updated")] == [
        {"uri": f"workflow://{ids[0]}", "_meta": tag}
    ]
    client.connection.close()
    assert client.heard[-1]["id"] == message["id"]
    assert client.heard[-1]["result"]["_meta"] | tag == client.heard[-1]["result"]["_meta"]


@pytest.mark.proves("face:mcp:subscriptions")
def test_a_change_right_behind_the_acknowledgement_is_told(app: App, tmp_path: Path, client: Speaker) -> None:
    other = app_in(str(tmp_path / "store"))
    workflow_id = other.call("start_workflow", {"name": "x"}, caller())["workflow_id"]

    def hear(message: Json) -> None:
        client.heard.append(message)
        if message.get("method") == "notifications/subscriptions/acknowledged":
            other.call("complete_workflow", {"workflow_id": workflow_id}, caller())

    client.connection = Connection(client.dispatcher, hear)
    wishes = {"resourceSubscriptions": [f"workflow://{workflow_id}"]}
    client.say(client.message("subscriptions/listen", notifications=wishes))
    until(lambda: client.notifications("notifications/resources/updated"))
    client.dispatcher.close()
    assert len(client.heard) == 2


def test_a_stream_whose_client_left_meanwhile_is_not_kept(app: App, client: Speaker) -> None:
    message = client.message("subscriptions/listen", notifications={"toolsListChanged": True})
    work = client.connection.take(message)
    client.connection.close()
    assert work.run() is None
    assert [heard["method"] for heard in client.heard] == ["notifications/subscriptions/acknowledged"]
    app.catalog.remove("report_steps")
    assert len(client.heard) == 1


@pytest.mark.proves("face:mcp:list-changed")
def test_a_new_workflow_changes_the_list_of_resources(client: Speaker) -> None:
    client.say(client.message("subscriptions/listen", notifications={"resourcesListChanged": True}))
    client.call("start_workflow", name="x")
    until(lambda: client.notifications("notifications/resources/list_changed"))
    client.dispatcher.close()
    assert len(client.notifications("notifications/resources/list_changed")) == 1


def test_a_cancelled_stream_says_nothing_more(app: App, client: Speaker) -> None:
    message = client.message("subscriptions/listen", notifications={"toolsListChanged": True})
    client.say(message)
    client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}})
    app.catalog.remove("report_steps")
    client.connection.close()
    assert len(client.heard) == 1
    for wrong in ({"resourceSubscriptions": "x"}, {"resourceSubscriptions": [1]}, "x"):
        assert client.refused("subscriptions/listen", notifications=wrong)["code"] == -32602


@pytest.mark.proves("face:mcp:ask")
def test_an_operation_asks_by_its_result(client: Speaker) -> None:
    asked = client.ask("tools/call", name="ask_name", arguments={})
    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"]["name"]["method"] == "elicitation/create"
    state = asked["requestState"]
    again = client.ask("tools/call", name="ask_name", arguments={}, inputResponses={"name": ADA}, requestState=state)
    assert again["structuredContent"] == {"text": str(ADA)}


@pytest.mark.proves("face:mcp:ask")
def test_the_state_remembers_the_replies_of_earlier_rounds(client: Speaker) -> None:
    call = {"name": "ask_twice", "arguments": {}}
    first = client.ask("tools/call", **call)
    second = client.ask("tools/call", **call, inputResponses={"first": ADA}, requestState=first["requestState"])
    assert list(second["inputRequests"]) == ["second"]
    bob = {"action": "decline"}
    done = client.ask("tools/call", **call, inputResponses={"second": bob}, requestState=second["requestState"])
    assert done["structuredContent"]["text"] == f"{ {'first': ADA} } { {'second': bob} }"


@pytest.mark.proves("face:mcp:ask")
@pytest.mark.parametrize("wrong", [{"name": 5}, {"name": {}}, {"other": ADA}, None])
def test_a_reply_that_is_none_is_asked_for_again(client: Speaker, wrong: object) -> None:
    asked = client.ask("tools/call", name="ask_name", arguments={}, inputResponses=wrong)
    assert list(asked["inputRequests"]) == ["name"]


@pytest.mark.proves("face:mcp:ask")
@pytest.mark.parametrize("wrong", [{"name": 5}, {"name": {"foo": 1}}, {"other": ADA}, None])
def test_a_client_whose_replies_are_none_is_asked_twice(client: Speaker, wrong: object) -> None:
    call = {"name": "ask_name", "arguments": {}}
    first = client.ask("tools/call", **call)
    second = client.ask("tools/call", **call, inputResponses=wrong, requestState=first["requestState"])
    assert list(second["inputRequests"]) == ["name"]
    done = client.ask("tools/call", **call, inputResponses=wrong, requestState=second["requestState"])
    assert done["structuredContent"] == {"text": "{}"}
    right = client.ask("tools/call", **call, inputResponses={"name": ADA}, requestState=second["requestState"])
    assert right["structuredContent"] == {"text": str(ADA)}


@pytest.mark.proves("face:mcp:ask")
def test_a_state_that_was_changed_or_belongs_elsewhere_is_refused(app: App, client: Speaker) -> None:
    state = client.ask("tools/call", name="ask_twice", arguments={}, inputResponses={"first": ADA})["requestState"]
    body, _, signature = state.partition(".")
    held = json.loads(base64.urlsafe_b64decode(body))
    held["held"]["replies"]["second"] = ADA
    forged = base64.urlsafe_b64encode(json.dumps(held).encode()).decode()
    elsewhere = Speaker(app, modern=True, capabilities={"elicitation": {}})
    changed: list[object] = [
        state + "0",
        "x" + state,
        f"{forged}.{signature}",
        "",
        ".",
        "é",
        "a.\ud800",
        "\ud800.a",
        5,
        {},
    ]
    for wrong in changed:
        assert client.refused("tools/call", name="ask_twice", arguments={}, requestState=wrong)["code"] == -32602
    assert client.refused("tools/call", name="ask_name", arguments={}, requestState=state)["code"] == -32602
    assert elsewhere.refused("tools/call", name="ask_twice", arguments={}, requestState=state)["code"] == -32602


def test_a_client_that_cannot_be_asked_is_not(app: App) -> None:
    plain = Speaker(app, modern=True)
    assert plain.call("ask_name")["structuredContent"] == {"text": "nobody"}
