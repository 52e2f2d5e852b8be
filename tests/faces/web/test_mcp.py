"""Streamable HTTP, both eras, through a real server."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.processes import HttpServer, with_token
from tests.faces.mcp.speaking import envelope, until

Json = dict[str, Any]
BOTH = "application/json, text/event-stream"
ADA = {"action": "accept", "content": {"name": "Ada"}}


class Exchange:
    """One request and its response, read as it comes."""

    def __init__(self, server: HttpServer, method: str, body: Any = None, **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        given = {"Content-Type": "application/json", "Accept": BOTH}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else json.dumps(body).encode()
        self._connection.request(method, "/mcp", data, with_token(given))
        self.response = self._connection.getresponse()
        self.status = self.response.status
        self.session = self.response.headers.get("mcp-session-id", "")
        self.last_id = ""
        self._body = b""
        if "event-stream" not in self.response.headers.get("content-type", ""):
            self._body = self.response.read()
            self.close()

    def events(self) -> Iterator[Json]:
        """The messages of an event stream, one by one."""
        data = ""
        while line := self.response.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "id":
                self.last_id = value
            elif name == "data":
                data = value
            elif not line.strip() and data:
                yield json.loads(data)
                data = ""

    def json(self) -> Any:
        return json.loads(self._body)

    def close(self) -> None:
        self.response.close()
        self._connection.close()


class Legacy:
    """A client of the old era."""

    def __init__(self, server: HttpServer, version: str = "2025-11-25", **capabilities: Json) -> None:
        self._server = server
        self._next = 0
        opened = Exchange(
            server, "POST", self.message("initialize", protocolVersion=version, capabilities=capabilities)
        )
        self.session, self.opened = opened.session, opened.json()["result"]

    def message(self, method: str, **params: Any) -> Json:
        self._next += 1
        return {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}

    def send(self, message: Any, **headers: str) -> Exchange:
        return Exchange(self._server, "POST", message, mcp_session_id=self.session, **headers)

    def post(self, method: str, headers: dict[str, str] | None = None, **params: Any) -> Exchange:
        return self.send(self.message(method, **params), **(headers or {}))

    def listen(self, **headers: str) -> Exchange:
        return Exchange(self._server, "GET", mcp_session_id=self.session, **headers)


def modern(server: HttpServer, method: str, headers: dict[str, str] | None = None, **params: Any) -> Exchange:
    meta = envelope({"elicitation": {}}, **params.pop("_meta", {}))
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {**params, "_meta": meta}}
    given = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
    if "name" in params or "uri" in params:
        given["Mcp_Name"] = params.get("name") or params["uri"]
    return Exchange(server, "POST", message, **{**given, **(headers or {})})


@pytest.mark.proves("face:mcp:http")
def test_a_session_lives_from_initialize_to_delete(server: HttpServer) -> None:
    client = Legacy(server)
    assert client.opened["protocolVersion"] == "2025-11-25"
    assert client.send({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    assert client.post("ping").json()["result"] == {}
    assert Exchange(server, "DELETE", mcp_session_id=client.session).status == 204
    assert client.post("ping").status == 404
    assert client.listen().status == 404
    assert Exchange(server, "DELETE", mcp_session_id=client.session).status == 404


def test_a_bare_request_needs_no_session(server: HttpServer) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answered = Exchange(server, "POST", message)
    assert (answered.status, answered.session) == (200, "")
    assert answered.json()["result"]["tools"]


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Accept": "text/html"}, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, 406),
        ({}, {"id": 1}, 400),
        ({}, 5, 200),
        ({"MCP_Protocol_Version": "1999-01-01"}, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, 400),
        ({"MCP_Protocol_Version": "2026-07-28"}, [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], 400),
    ],
)
def test_what_is_not_right_is_refused(server: HttpServer, headers: dict[str, str], body: Any, status: int) -> None:
    answered = Exchange(server, "POST", body, **headers)
    assert answered.status == status
    if status == 200:
        assert answered.json()["error"]["code"] == -32600


@pytest.mark.proves("web:token:everything")
def test_without_the_token_nothing_is_answered(server: HttpServer) -> None:
    client = Legacy(server)
    for wrong in ("", "Bearer wrong", "Bearer ", "Basic secret"):
        for name in ("start_workflow", "workflow_list"):
            call: Json = {"name": name, "arguments": {}}
            for exchange in (
                client.post("tools/call", {"Authorization": wrong}, **call),
                modern(server, "tools/call", {"Authorization": wrong}, **call),
            ):
                assert exchange.status == 401
                assert "deedlog config get token" in exchange.json()["error"]["hint"]
    assert client.post("tools/list", {"Authorization": ""}).status == 401
    assert client.listen(Authorization="").status == 401


@pytest.mark.proves("face:mcp:http", "face:mcp:progress")
def test_what_comes_before_a_reply_makes_it_a_stream(server: HttpServer) -> None:
    call: Json = {"name": "report_steps", "_meta": {"progressToken": 1}}
    for exchange in (Legacy(server).post("tools/call", **call), modern(server, "tools/call", **call)):
        messages = list(exchange.events())
        exchange.close()
        assert [message.get("method") for message in messages if "progress" in str(message.get("method"))] == [
            "notifications/progress"
        ] * 2
        assert messages[-1]["result"]["structuredContent"] == {"text": "done"}


def test_a_client_that_takes_only_json_gets_the_reply_and_finds_the_rest_on_its_stream(server: HttpServer) -> None:
    client = Legacy(server)
    only = {"Accept": "application/json"}
    reply = client.post("tools/call", only, name="report_steps", _meta={"progressToken": 1}).json()
    assert reply["result"]["structuredContent"] == {"text": "done"}
    stream = client.listen()
    assert next(stream.events())["method"] == "notifications/progress"
    stream.close()


@pytest.mark.proves("face:mcp:subscriptions", "face:mcp:http")
def test_a_session_s_stream_tells_of_changes_and_goes_on_where_it_was(server: HttpServer) -> None:
    client = Legacy(server)
    _, started = server.post("/api/workflow/start", {"name": "x"})
    uri = f"workflow://{started['workflow_id']}"
    assert client.post("resources/subscribe", uri=uri).json()["result"] == {}
    stream = client.listen()
    server.post("/api/workflow/complete", {"workflow_id": started["workflow_id"]})
    assert next(stream.events())["params"] == {"uri": uri}
    seen = stream.last_id
    stream.close()
    server.post("/api/ledger/undo", {})
    again = client.listen(Last_Event_ID=seen)
    assert next(again.events())["params"] == {"uri": uri}
    assert again.last_id != seen
    again.close()
    replayed = client.listen(Last_Event_ID=seen)
    assert next(replayed.events())["params"] == {"uri": uri}
    replayed.close()


@pytest.mark.parametrize(("version", "primed"), [("2025-11-25", True), ("2025-06-18", False)])
def test_an_empty_first_event_is_only_for_clients_that_know_it(
    server: HttpServer, version: str, *, primed: bool
) -> None:
    stream = Legacy(server, version).post("tools/call", name="report_steps")
    first = stream.response.readline()
    stream.close()
    assert first.startswith(b"id: ") == primed


def test_a_call_survives_a_lost_connection_in_the_old_era(server: HttpServer) -> None:
    client = Legacy(server, elicitation={})
    lost = client.post("tools/call", name="ask_name")
    question = next(lost.events())
    lost.close()
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": ADA}).close()
    found = client.listen(Last_Event_ID=lost.last_id)
    assert next(found.events())["result"]["structuredContent"] == {"text": str(ADA)}
    found.close()


@pytest.mark.proves("face:mcp:ask", "face:mcp:http")
def test_a_question_comes_on_the_stream_of_the_call_that_asks(server: HttpServer) -> None:
    client = Legacy(server, elicitation={})
    call = client.post("tools/call", name="ask_name")
    events = call.events()
    question = next(events)
    assert question["method"] == "elicitation/create"
    assert client.send({"jsonrpc": "2.0", "id": question["id"], "result": ADA}).status == 202
    assert next(events)["result"]["structuredContent"] == {"text": str(ADA)}
    call.close()


@pytest.mark.proves("face:mcp:ask", "face:mcp:http")
def test_a_question_ends_with_its_session(server: HttpServer) -> None:
    client = Legacy(server, elicitation={})
    call = client.post("tools/call", name="ask_name")
    events = call.events()
    assert next(events)["method"] == "elicitation/create"
    assert Exchange(server, "DELETE", mcp_session_id=client.session).status == 204
    assert next(events)["result"]["structuredContent"] == {"text": "nobody"}
    call.close()


@pytest.mark.parametrize("tool", ["say_nan", "say_object"])
def test_an_answer_that_cannot_be_sent_is_an_error_of_its_request(server: HttpServer, tool: str) -> None:
    for exchange in (Legacy(server).post("tools/call", name=tool), modern(server, "tools/call", name=tool)):
        assert (exchange.status, exchange.json()["error"]["code"]) == (200, -32603)


def test_a_message_that_cannot_be_sent_is_a_failure_of_its_call(server: HttpServer) -> None:
    assert Legacy(server).post("tools/call", name="log_object").json()["result"]["isError"] is True


def test_only_the_revision_that_has_batches_takes_them(server: HttpServer) -> None:
    client = Legacy(server, "2025-03-26")
    reply = client.send([client.message("ping"), client.message("ping")]).json()
    assert [part["result"] for part in reply] == [{}, {}]
    assert client.send([{"jsonrpc": "2.0", "method": "notifications/x"}]).status == 202
    assert Legacy(server).send([client.message("ping")]).json()["error"]["code"] == -32600


def test_a_broken_state_is_refused(server: HttpServer) -> None:
    broken = modern(server, "tools/call", name="ask_name", requestState="a.\ud800")
    assert (broken.status, broken.json()["error"]["code"]) == (400, -32602)


@pytest.mark.proves("face:mcp:http", "face:mcp:modern")
def test_the_new_era_needs_no_session(server: HttpServer) -> None:
    found = modern(server, "server/discover")
    assert (found.status, found.session) == (200, "")
    assert found.json()["result"]["supportedVersions"] == ["2026-07-28"]
    assert modern(server, "tools/call", name="workflow_list").json()["result"]["resultType"] == "complete"
    notified = Exchange(
        server, "POST", {"jsonrpc": "2.0", "method": "notifications/cancelled"}, MCP_Protocol_Version="2026-07-28"
    )
    assert notified.status == 202


@pytest.mark.proves("face:mcp:modern")
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Mcp_Method": "tools/list"}, 400, -32020),
        ({"Mcp_Name": "workflow_get"}, 400, -32020),
        ({"Mcp_Name": "=?base64?d29ya2Zsb3dfbGlzdA==?="}, 200, None),
        ({"Mcp_Name": "=?base64?d29ya2Zsb3dfbGlzdA?="}, 400, -32020),
        ({"MCP_Protocol_Version": "2025-11-25"}, 400, -32020),
    ],
)
def test_headers_must_agree_with_the_body(
    server: HttpServer, headers: dict[str, str], status: int, code: int | None
) -> None:
    answered = modern(server, "tools/call", headers, name="workflow_list")
    assert answered.status == status
    assert answered.json().get("error", {}).get("code") == code


@pytest.mark.parametrize(("method", "status"), [("no/such", 404), ("ping", 404), ("resources/read", 400)])
def test_errors_of_the_new_era_have_a_status(server: HttpServer, method: str, status: int) -> None:
    assert modern(server, method).status == status


@pytest.mark.proves("face:mcp:subscriptions", "face:mcp:http")
def test_a_stream_of_the_new_era_carries_changes(server: HttpServer) -> None:
    _, started = server.post("/api/workflow/start", {"name": "x"})
    uri = f"workflow://{started['workflow_id']}"
    stream = modern(server, "subscriptions/listen", notifications={"resourceSubscriptions": [uri]})
    events = stream.events()
    assert next(events)["method"] == "notifications/subscriptions/acknowledged"
    server.post("/api/workflow/complete", {"workflow_id": started["workflow_id"]})
    assert next(events)["params"]["uri"] == uri
    stream.close()


@pytest.mark.proves("face:mcp:cancel")
def test_leaving_cancels_in_the_new_era(server: HttpServer) -> None:
    """As many calls as may wait are left at once; another still finds room."""
    level = {"io.modelcontextprotocol/logLevel": "info"}
    calls = [modern(server, "tools/call", name="wait_for_end", _meta=level) for _ in range(64)]
    for call in calls:
        assert next(call.events())["params"]["data"] == "waiting"
        call.close()
    arguments = {"from_seq": 10**9, "wait_ms": 1}
    until(lambda: modern(server, "tools/call", name="event_list", arguments=arguments).status == 200)
