from __future__ import annotations

import http.client
import json
import select
from typing import Any

import pytest

from deedlog import __version__
from deedlog.core.capability import CAPABILITIES
from deedlog.operation import catalog
from tests.e2e.processes import HttpServer
from tests.faces.mcp.speaking import until
from tests.faces.web.test_mcp import modern

JSON = {"Content-Type": "application/json"}
TOKEN = {"Authorization": "Bearer secret"}


def post(server: HttpServer, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    status, answer = server.request("POST", path, body, {**JSON, **given})
    return status, json.loads(answer)


@pytest.mark.proves("web:api:operations")
def test_an_operation_is_called_by_its_words(server: HttpServer) -> None:
    status, started = server.post("/api/workflow/start", {"name": "認証"})
    assert status == 200
    assert server.post("/api/workflow/get", started | {"created_at": None})[0] == 422
    status, read = server.post("/api/workflow/get", {"workflowId": started["workflow_id"]})
    assert (status, read["name"]) == (200, "認証")


@pytest.mark.proves("web:api:operations")
@pytest.mark.parametrize("headers", [{}, JSON])
def test_no_body_is_no_arguments(server: HttpServer, headers: dict[str, str]) -> None:
    status, body = server.request("POST", "/api/workflow/list", b"", headers)
    assert status == 200
    assert "workflows" in json.loads(body)


@pytest.mark.proves("web:api:operations")
@pytest.mark.parametrize(
    ("path", "arguments", "status", "kind"),
    [
        ("/api/workflow/start", {}, 422, "invalid"),
        ("/api/workflow/get", {"workflow_id": "wf-0"}, 404, "not_found"),
        ("/api/workflow/strat", {}, 404, "not_found"),
        ("/api/bug/meet", {}, 500, "unexpected"),
        ("/api/nan/say", {}, 500, "unexpected"),
        ("/api/object/say", {}, 500, "unexpected"),
    ],
)
def test_a_refusal_has_a_fitting_status_and_its_words(
    server: HttpServer, path: str, arguments: dict[str, Any], status: int, kind: str
) -> None:
    code, body = server.post(path, arguments)
    assert (code, body["error"]["kind"]) == (status, kind)
    assert set(body["error"]) == {"kind", "message", "hint", "data"}


@pytest.mark.proves("web:api:operations")
def test_what_is_off_is_not_suggested(server: HttpServer) -> None:
    _, body = server.post("/api/workflow/strat", {})
    assert body["error"]["hint"] == "did you mean '/api/workflow/start'?"
    _, body = server.post("/api/mcp/recrod", {})  # what only programs of ours call
    assert "/api/mcp/record" not in body["error"]["hint"]


@pytest.mark.proves("web:api:operations")
def test_a_conflict_is_told_as_one(server: HttpServer) -> None:
    _, started = server.post("/api/workflow/start", {"name": "x"})
    arguments = {"workflow_id": started["workflow_id"], "summary": "a"}
    assert server.post("/api/workflow/complete", arguments)[0] == 200
    assert server.post("/api/workflow/complete", arguments | {"summary": "b"})[0] == 409


@pytest.mark.proves("web:api:key")
def test_a_key_makes_a_repeated_post_happen_once(server: HttpServer) -> None:
    headers = {**TOKEN, "Idempotency-Key": "once"}
    first = post(server, "/api/workflow/start", b'{"name": "x"}', **headers)
    assert first[0] == 200
    assert post(server, "/api/workflow/start", b'{"name": "x"}', **headers) == first
    assert post(server, "/api/workflow/start", b'{"name": "y"}', **headers)[0] == 409
    longer = {**TOKEN, "Idempotency-Key": "x" * 201}
    assert post(server, "/api/workflow/start", b'{"name": "x"}', **longer)[0] == 422


def test_a_caller_can_say_who_it_is_and_why(server: HttpServer) -> None:
    said = {**TOKEN, "Deedlog-Actor": "release bot", "Deedlog-Cause": "ticket 7"}
    assert post(server, "/api/workflow/start", b'{"name": "x"}', **said)[0] == 200
    assert post(server, "/api/workflow/start", b'{"name": "y"}', **TOKEN)[0] == 200
    assert post(server, "/api/workflow/start", b'{"name": "z"}', **{**said, "Deedlog-Actor": "x" * 201})[0] == 422
    events = post(server, "/api/event/list", b'{"last": true, "limit": 2}')[1]["events"]
    assert [(event["actor"], event.get("cause")) for event in events] == [
        ("http:release bot", "ticket 7"),
        ("http", None),
    ]


@pytest.mark.proves("web:token:everything")
def test_reading_and_changing_need_the_token(server: HttpServer) -> None:
    for wrong in ("", "Bearer wrong", "Bearer ", "Basic secret", "secret", "Bearer secret x", "Deedlog x:y"):
        for path in ("/api/workflow/list", "/api/workflow/start"):
            status, body = post(server, path, b'{"name": "x"}', Authorization=wrong)
            assert (status, body["error"]["kind"]) == (401, "denied")
        assert server.request("GET", "/api/openapi.json", None, {"Authorization": wrong})[0] == 401
        assert server.request("GET", "/health", None, {"Authorization": wrong})[0] == 401
    assert "deedlog config get token" in post(server, "/api/workflow/list", Authorization="")[1]["error"]["hint"]


@pytest.mark.proves("web:api:limits")
@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b" " * (4 * 1024 * 1024 + 1), JSON, 413),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b"", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        (b"{", JSON, 422),
        (b"[]", JSON, 422),
        (b'{"limit": NaN}', JSON, 422),
        (b"\xff", JSON, 422),
        (b"[" * 100_000, JSON, 422),
        (b'{"limit": 1e400}', JSON, 422),
    ],
)
def test_a_body_that_is_too_large_or_no_json_is_refused(
    server: HttpServer, body: bytes, headers: dict[str, str], status: int
) -> None:
    code, answer = server.request("POST", "/api/workflow/list", body, headers)
    assert (code, json.loads(answer)["error"]["kind"]) == (status, "invalid")


@pytest.mark.proves("web:api:limits")
def test_a_body_that_does_not_say_how_long_it_is_is_limited_too(server: HttpServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    chunks = (b" " * 65_536 for _ in range(65))
    connection.request("POST", "/api/workflow/list", chunks, {**JSON, **TOKEN}, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_calls_that_wait_are_limited_and_leave_the_others_alone(server: HttpServer) -> None:
    """On every face."""
    poll = json.dumps({"from_seq": 10**9, "wait_ms": 60_000}).encode()
    waiting = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=30) for _ in range(70)]
    for connection in waiting:
        connection.request("POST", "/api/event/list", poll, {**JSON, **TOKEN})
    until(lambda: len(select.select([connection.sock for connection in waiting], [], [], 0)[0]) == 6)
    status, body = post(server, "/api/event/list", b'{"waitMs": 1, "from_seq": 1000000000}')
    assert (status, body["error"]["kind"]) == (503, "unavailable")
    assert body["error"]["hint"] == "repeat in a moment"
    arguments = {"from_seq": 10**9, "wait_ms": 1}
    refused = modern(server, "tools/call", name="event_list", arguments=arguments)
    assert (refused.status, refused.json()["error"]["code"]) == (503, -32000)
    assert post(server, "/api/event/list")[0] == 200
    assert post(server, "/api/event/list", b'{"wait_ms": 0}')[0] == 200
    assert post(server, "/api/workflow/list")[0] == 200
    for connection in waiting:
        connection.close()
    until(lambda: post(server, "/api/event/list", b'{"wait_ms": 1, "from_seq": 1000000000}')[0] == 200)


@pytest.mark.proves("web:api:openapi")
def test_openapi_describes_every_operation_with_its_schemas(server: HttpServer) -> None:
    document = server.get("/api/openapi.json")
    assert document["openapi"].startswith("3.1")
    for op in (op for op in catalog.load() if CAPABILITIES[op.capability].on):
        described = document["paths"][op.path]["post"]
        assert described["operationId"] == op.name
        assert described["requestBody"]["content"]["application/json"]["schema"] == op.input_schema
        assert described["responses"]["200"]["content"]["application/json"]["schema"] == op.output_schema
        assert {"401", "403", "404", "409", "422", "500", "503"} <= set(described["responses"])


def test_the_page_says_where_agents_connect_and_runs_only_scripts_of_ours(server: HttpServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/", headers=TOKEN)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert f"http://127.0.0.1:{server.port}/mcp" in text
    assert __version__ in text


def test_health_is_plain(server: HttpServer) -> None:
    assert server.get("/health") == {"status": "ok", "version": __version__}


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/api/workflow/list", 405), ("PUT", "/", 405)]
)
def test_what_is_not_there_is_told_as_json(server: HttpServer, method: str, path: str, status: int) -> None:
    code, body = server.request(method, path, None, {})
    assert (code, json.loads(body)["error"]["kind"]) == (status, "not_found")
