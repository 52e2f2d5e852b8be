"""Servers over HTTP, mounted and called through operations, as agents do it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError, Unavailable
from deedlog.core.gate.mount import Passage
from deedlog.ports import EventQuery
from tests.engines.gateway.http_servers import Handler, OddServer, sdk_server, wait_for, well_behaved
from tests.engines.gateway.oauth_server import Accounts, Guarded
from tests.ops.gate import persons
from tests.ops.gate.guarded import House

TOOL = {"name": "say", "description": "Say something.", "inputSchema": {"type": "object"}}


def with_a_tool(handler: Handler) -> None:
    method = handler.message.get("method")
    if method == "tools/list":
        handler.result({"tools": [TOOL]})
    elif method == "tools/call":
        handler.result({"content": [{"type": "text", "text": "said"}]})
    else:
        well_behaved(handler)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    found = House(tmp_path)
    yield found
    found.close()
    wait_for(lambda: not [thread for thread in threading.enumerate() if thread.name == "HTTP"])


@pytest.fixture
def world(house: House) -> Iterator[tuple[Accounts, Guarded]]:
    with Accounts() as accounts, Guarded(accounts, with_a_tool) as server:
        configure(house, odd={"type": "http", "url": server.url})
        yield accounts, server
        house.close()


def configure(house: House, **servers: Any) -> None:
    house.file().write_text(json.dumps({"mcpServers": servers}))


def refused(house: House, name: str, /, **arguments: Any) -> DeedlogError:
    with pytest.raises(DeedlogError) as refusal:
        house.call(name, **arguments)
    return refusal.value


def row(house: House) -> Any:
    return next(each for each in house.call("mcp_environment", category="other")["servers"] if each["name"] == "odd")


def text(answer: Any) -> str:
    return str(answer["content"][0]["text"])


def says(house: House) -> bool:
    try:
        return text(house.use("odd__say")) == "said"
    except Unavailable:
        return False


@pytest.mark.parametrize("kind", ["streamable-http", "sse"])
def test_a_server_of_the_sdk_is_mounted_used_and_unmounted(house: House, kind: str) -> None:
    with sdk_server(kind) as server:
        configure(house, odd={"type": "http", "url": server.url})
        told = house.call("mcp_activate", name="odd")
        assert told["tools"] == ["odd__echo", "odd__big", "odd__wait", "odd__change"]
        assert text(house.use("odd__echo", text="hé")) == "hé"
        assert text(house.use("mcp_call", server="odd", tool="echo", arguments={"text": "b"})) == "b"
        house.call("mcp_deactivate", name="odd")
        assert house.listed() == []


def test_a_server_that_forgets_its_sessions_is_connected_anew(house: House) -> None:
    forgotten: list[str] = []

    def forgetful(handler: Handler) -> None:
        if handler.message.get("method") == "tools/call" and not forgotten:
            forgotten.append("once")
            handler.reply(404)
        else:
            with_a_tool(handler)

    with OddServer(forgetful) as server:
        configure(house, odd={"type": "http", "url": server.url})
        house.call("mcp_activate", name="odd")
        with pytest.raises(Unavailable, match="no longer knows this session"):
            house.use("odd__say")
        wait_for(lambda: says(house))
        assert server.methods().count("initialize") == 2
        house.close()


def test_a_server_that_cannot_be_reached_is_not_active_and_says_why(house: House) -> None:
    configure(house, odd={"type": "http", "url": "http://127.0.0.1:1/mcp"})
    refusal = refused(house, "mcp_activate", name="odd")
    assert "cannot be reached" in refusal.message
    assert row(house)["status"] == "available"
    assert "cannot be reached" in row(house)["reason"]


@pytest.mark.proves("gate:activate:oauth")
def test_a_server_that_wants_a_login_is_mounted_after_one(house: House, world: tuple[Accounts, Guarded]) -> None:
    assert "asks for a login" in refused(house, "mcp_activate", name="odd").message
    assert row(house)["status"] == "missing-credentials"
    refusal = refused(house, "mcp_activate", name="odd")
    assert refusal.message == "Missing a login"
    assert refusal.data["missingEnvKeys"] == []
    assert "deedlog mcp login odd" in refusal.hint
    house.call("mcp_login", persons.Person(), name="odd")
    house.call("mcp_activate", name="odd")
    assert text(house.use("odd__say")) == "said"


@pytest.mark.proves("gate:activate:oauth", "gate:login:once", "gate:readiness:states")
def test_a_mounted_server_whose_login_ends_waits_for_the_next_one(
    house: House, world: tuple[Accounts, Guarded]
) -> None:
    accounts, server = world
    house.call("mcp_login", persons.Person(), name="odd")
    house.call("mcp_activate", name="odd")
    assert row(house)["status"] == "active"
    accounts.access.clear()
    accounts.refresh.clear()
    for _ in range(3):
        refusal = refused(house, "odd__say")
        assert "deedlog mcp login odd" in refusal.hint
    assert server.methods().count("tools/call") <= 1
    assert len(accounts.asked_for_tokens) == 2  # the login, and the refresh that was refused
    assert row(house)["status"] == "missing-credentials"
    house.call("mcp_login", persons.Person(), name="odd")
    assert row(house)["status"] == "active"
    assert text(house.use("odd__say")) == "said"
    assert house.call("mcp_deactivate", name="odd")["removed"] == ["odd__say"]


@pytest.mark.proves("gate:secret:only-its-server", "gate:call:ledger")
def test_what_a_server_was_sent_is_in_no_record_of_its_calls(house: House, world: tuple[Accounts, Guarded]) -> None:
    _, server = world
    house.call("mcp_login", persons.Person(), name="odd")
    house.call("mcp_activate", name="odd")
    secret = json.loads((house.folder / "user/logins/odd.json").read_text())["tokens"]["access_token"]

    def telling(handler: Handler) -> None:
        if handler.message.get("method") == "tools/call":
            handler.reply(500, handler.headers["Authorization"].encode(), "text/plain")
        else:
            with_a_tool(handler)

    server.guarding = telling
    refusal = refused(house, "odd__say", key=secret)
    wait_for(lambda: house.app.ledger.find(Passage, {}, limit=10))
    recorded = repr(house.app.ledger.events(EventQuery(limit=1000)))
    recorded += json.dumps([refusal.message, refusal.hint, refusal.data], default=str)
    recorded += repr(house.app.ledger.find(Passage, {}, limit=10))
    assert "HTTP 500" in recorded
    assert secret not in recorded


def test_a_call_of_a_client_brings_no_authorization_along(house: House) -> None:
    with OddServer(with_a_tool) as server:
        configure(house, odd={"type": "http", "url": server.url, "headers": {"X-Team": "blue"}})
        house.call("mcp_activate", name="odd")
        house.use("odd__say", _meta={"authorization": "Bearer of-the-client"})
        sent = server.headers_of("tools/call")
        house.close()
    assert sent["x-team"] == "blue"
    assert "authorization" not in sent
    assert "cookie" not in sent
