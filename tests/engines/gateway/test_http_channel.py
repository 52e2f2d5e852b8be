"""Servers over HTTP, as the SDK builds them and as the protocol allows them to be."""

from __future__ import annotations

import json
import threading

import pytest

from deedlog.core.errors import Unavailable
from deedlog.gateway.remote.http import HttpChannel
from deedlog.ports import Silent
from tests.engines.gateway.http_servers import (
    SESSION,
    Handler,
    Heard,
    Json,
    OddServer,
    call,
    sdk_server,
    talking,
    wait_for,
    well_behaved,
    with_calls,
)

KINDS = [
    pytest.param("streamable-http", (), "http", id="streamable"),
    pytest.param("streamable-http", ("--json",), "http", id="streamable that answers in JSON"),
    pytest.param("sse", (), "sse", id="sse"),
    pytest.param("sse", (), "http", id="sse that was taken for streamable"),
]


class Listener(Silent):
    def __init__(self) -> None:
        self.told: list[tuple[float, float | None, str]] = []

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        self.told.append((done, total, message))


@pytest.mark.parametrize(("kind", "options", "configured"), KINDS)
def test_a_server_of_the_sdk_is_greeted_listed_called_and_let_go(
    kind: str, options: tuple[str, ...], configured: str
) -> None:
    heard, listener = Heard(), Listener()
    with sdk_server(kind, *options) as server, talking(HttpChannel(configured, server.url, {}), heard) as conversation:
        tools = conversation.request("tools/list", {}, Silent(), 60)["tools"]
        assert [tool["name"] for tool in tools] == ["echo", "big", "wait", "change"]
        assert call(conversation, "echo", text="hé 日本")["content"] == [{"type": "text", "text": "hé 日本"}]
        conversation.request("tools/call", {"name": "change", "arguments": {}}, listener, 60)
        heard.until(lambda: heard.notices)
    assert heard.notices == [("notifications/tools/list_changed", {})]
    assert listener.told == ([] if options else [(1, 2, "half")])  # an answer in JSON has no room for it
    assert heard.lost == []


@pytest.mark.parametrize(("kind", "options", "configured"), KINDS)
def test_an_answer_of_many_megabytes_arrives_whole(kind: str, options: tuple[str, ...], configured: str) -> None:
    with sdk_server(kind, *options) as server, talking(HttpChannel(configured, server.url, {})) as conversation:
        answer = call(conversation, "big", characters=5_000_000)
        assert len(answer["content"][0]["text"]) == 5_000_000


@pytest.mark.parametrize(("kind", "options", "configured"), KINDS)
def test_a_call_that_is_given_up_leaves_nothing_behind_and_the_next_one_is_answered(
    kind: str, options: tuple[str, ...], configured: str
) -> None:
    with sdk_server(kind, *options) as server:
        channel = HttpChannel(configured, server.url, {})
        with talking(channel) as conversation:
            with pytest.raises(Unavailable, match="did not answer"):
                call(conversation, "wait", seconds=0.2)
            assert call(conversation, "echo", text="on")["isError"] is False
            assert channel._remote
            flying = channel._remote._poster.flying
            wait_for(lambda: not flying)


@pytest.mark.parametrize("kind", ["streamable-http", "sse"])
def test_a_server_that_is_killed_in_the_middle_of_a_call_is_lost_once(kind: str) -> None:
    heard, failed = Heard(), []
    with sdk_server(kind) as server:
        channel = HttpChannel("sse" if kind == "sse" else "http", server.url, {})
        with talking(channel, heard) as conversation:

            def calling() -> None:
                try:
                    call(conversation, "wait")
                except Unavailable as error:
                    failed.append(error)

            thread = threading.Thread(target=calling)
            thread.start()
            wait_for(lambda: conversation.busy)
            server.kill()
            thread.join(60)
            with pytest.raises(Unavailable):
                call(conversation, "echo", text="?")
            heard.until(lambda: heard.lost)
    assert len(failed) == 1
    assert len(heard.lost) == 1


def test_fields_that_nobody_knows_pass_in_both_directions() -> None:
    strange = {
        "name": "x",
        "arguments": {"deep": [{"n": 12345678901234567890123}, 1.0, -0.5, None, True, ""], "ユ": "\u2028"},
        "_meta": {"example.org/extra": {"a": 1}},
        "unheard": "of",
    }

    def strangely(handler: Handler) -> None:
        handler.result({"resultType": "new", "said": handler.message["params"], "_meta": {"b": [1.5]}})

    with OddServer(with_calls(strangely)) as server, talking(HttpChannel("http", server.url, {})) as conversation:
        answer = conversation.request("tools/call", strange, Silent(), 60)
    assert answer["said"]["arguments"] == strange["arguments"]
    assert type(answer["said"]["arguments"]["deep"][1]) is float
    assert answer["said"]["unheard"] == "of"
    assert answer["said"]["_meta"]["example.org/extra"] == {"a": 1}
    assert {key: answer[key] for key in ("resultType", "_meta")} == {"resultType": "new", "_meta": {"b": [1.5]}}


def test_a_text_that_is_no_proper_unicode_is_sent_as_it_is() -> None:
    def deaf(handler: Handler) -> None:
        handler.result({})

    with OddServer(with_calls(deaf)) as server, talking(HttpChannel("http", server.url, {})) as conversation:
        call(conversation, "x", text="\ud800")
        said = [message for *_, message in server.asked if message.get("method") == "tools/call"]
    assert said[0]["params"]["arguments"] == {"text": "\ud800"}


def test_session_and_agreed_version_are_on_every_request_and_the_session_is_ended() -> None:
    with OddServer(well_behaved) as server:
        with talking(HttpChannel("http", server.url, {"X-Team": "blue"})) as conversation:
            assert call(conversation, "x")["session"] == SESSION
        greeted, called = server.headers_of("initialize"), server.headers_of("tools/call")
        assert "mcp-protocol-version" not in greeted
        assert (called["mcp-protocol-version"], called["mcp-session-id"]) == ("2025-11-25", SESSION)
        assert greeted["x-team"] == called["x-team"] == "blue"
        assert "authorization" not in called
        assert ("DELETE", SESSION) in [(how, headers.get("mcp-session-id")) for how, _, headers, _ in server.asked]


def test_a_server_of_the_modern_era_is_told_in_headers_what_a_message_says() -> None:
    tool = {
        "name": "météo",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}},
    }

    def modern(handler: Handler) -> None:
        method = handler.message.get("method", "")
        found: dict[str, Json] = {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
            "tools/list": {"tools": [tool]},
            "tools/call": {"content": []},
        }
        if method in found:
            handler.result({"resultType": "complete", **found[method]})
        elif handler.command == "POST" and "id" in handler.message:
            error = {"code": -32601, "message": "no such method"}
            handler.reply(404, json.dumps({"jsonrpc": "2.0", "id": handler.message["id"], "error": error}).encode())
        else:
            handler.reply(405)

    with OddServer(modern) as server:
        with talking(HttpChannel("http", server.url, {})) as conversation:
            conversation.request("tools/list", {}, Silent(), 60)
            call(conversation, "météo", city="Paris")
        called = server.headers_of("tools/call")
    assert server.headers_of("server/discover")["mcp-method"] == "server/discover"
    assert (called["mcp-protocol-version"], called["mcp-method"]) == ("2026-07-28", "tools/call")
    assert called["mcp-name"].startswith("=?base64?")
    assert called["mcp-param-city"] == "Paris"
    assert "mcp-session-id" not in called


def test_a_hundred_calls_are_in_flight_at_once() -> None:
    together = threading.Barrier(100)

    def when_all_are_here(handler: Handler) -> None:
        together.wait(60)
        handler.result({"n": handler.message["params"]["arguments"]["n"]})

    answers: dict[int, int] = {}
    with OddServer(with_calls(when_all_are_here)) as server, talking(HttpChannel("http", server.url, {})) as talk:

        def one(n: int) -> None:
            answers[n] = call(talk, "x", n=n)["n"]

        threads = [threading.Thread(target=one, args=[n]) for n in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert answers == {n: n for n in range(100)}


@pytest.mark.proves("gate:http:one-request")
def test_a_server_that_hangs_stalls_no_other() -> None:
    def hang(handler: Handler) -> None:
        handler.server.over.wait(60)

    with OddServer(hang) as hung, OddServer(well_behaved) as well:
        stuck = HttpChannel("http", hung.url, {})
        stuck.open(lambda _: None, lambda _: None, 60)
        stuck.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}, 60)
        wait_for(lambda: hung.asked)
        try:
            with talking(HttpChannel("http", well.url, {}), alone=False) as conversation:
                assert call(conversation, "x", a=1)["said"]["arguments"] == {"a": 1}
        finally:
            stuck.close()


def test_what_a_server_asks_on_its_own_stream_is_answered() -> None:
    def asking(handler: Handler) -> None:
        if handler.command != "GET":
            well_behaved(handler)
            return
        handler.begin_stream()
        handler.event({"jsonrpc": "2.0", "id": "r-1", "method": "roots/list"})
        handler.event({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "x:y"}})
        handler.server.over.wait(60)

    heard = Heard()
    with OddServer(asking) as server:
        with talking(HttpChannel("http", server.url, {}), heard):
            heard.until(lambda: heard.notices)
            wait_for(lambda: any(message.get("id") == "r-1" for *_, message in server.asked))
        answer = next(message for *_, message in server.asked if message.get("id") == "r-1")
        server.over.set()
    assert answer["result"]["roots"][0]["uri"].startswith("file://")
    assert heard.notices == [("notifications/resources/updated", {"uri": "x:y"})]


def test_a_stream_of_an_answer_may_hold_other_messages_first() -> None:
    def streaming(handler: Handler) -> None:
        handler.begin_stream()
        handler.write(b": a comment\n\nevent: ping\ndata: {}\n\n")
        handler.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}})
        handler.event({"jsonrpc": "2.0", "id": handler.message["id"], "result": {"content": []}})

    heard = Heard()
    with (
        OddServer(with_calls(streaming)) as server,
        talking(HttpChannel("http", server.url, {}), heard) as conversation,
    ):
        assert call(conversation, "x") == {"content": []}
        heard.until(lambda: heard.notices)
    assert heard.notices == [("notifications/message", {"level": "info", "data": "a"})]


def test_a_redirect_within_the_server_is_followed() -> None:
    def moved(handler: Handler) -> None:
        if handler.path == "/mcp":
            handler.reply(307, Location="/mcp/")
        else:
            well_behaved(handler)

    with OddServer(moved) as server, talking(HttpChannel("http", server.url, {})) as conversation:
        assert call(conversation, "x", a=1)["said"]["arguments"] == {"a": 1}


def test_closing_twice_and_from_several_threads_is_closing() -> None:
    with OddServer(well_behaved) as server:
        channel = HttpChannel("http", server.url, {})
        with talking(channel):
            threads = [threading.Thread(target=channel.close) for _ in range(5)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
        with pytest.raises(Unavailable):
            channel.send({"jsonrpc": "2.0", "method": "x"}, 1)


def test_what_the_sdk_would_log_is_not_logged(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(handler: Handler) -> None:
        handler.reply(200, b"secret-text-of-a-server", "application/json")

    with (
        OddServer(with_calls(broken)) as server,
        talking(HttpChannel("http", server.url, {})) as conversation,
        pytest.raises(Unavailable, match="no JSON-RPC"),
    ):
        call(conversation, "x")
    assert caplog.text == ""
    assert capfd.readouterr() == ("", "")
