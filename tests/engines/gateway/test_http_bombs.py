"""A compressed answer counts as many bytes as it inflates to, and Deedlog stops inflating at the limit."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deedlog.core.errors import Unavailable
from deedlog.gateway.remote import bodies, posting, transports
from deedlog.gateway.remote.http import HttpChannel, channel_of
from deedlog.gateway.remote.oauth import Logins
from tests.engines.gateway.http_servers import Handler, OddServer, call, talking, with_calls
from tests.engines.gateway.oauth_server import Accounts, Guarded, log_in, places, server_at

MIB = 1024 * 1024
INFLATED = 300 * MIB
LIMIT = 2 * MIB
NEAR = 24 * MIB  # the limit, what the client's parser holds of one event, and its copies

Doing = Callable[[Handler], None]


def bomb(begin: bytes = b"", *, how: int = 31) -> bytes:
    """Some 300 kB that inflate to 300 MiB."""
    press, block = zlib.compressobj(9, zlib.DEFLATED, how), b" " * MIB
    return b"".join([press.compress(begin), *(press.compress(block) for _ in range(INFLATED // MIB)), press.flush()])


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "LARGEST", LIMIT)
    monkeypatch.setattr(transports, "LARGEST", LIMIT)
    monkeypatch.setattr(bodies, "LARGEST_OF_A_LOGIN", LIMIT // 2)


@contextmanager
def peak_near_the_limit() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < NEAR


def replying(body: bytes, coding: str, kind: str = "application/json", status: int = 200) -> Doing:
    return lambda handler: handler.reply(status, body, kind, Content_Encoding=coding)


HOSTILE = {
    "JSON, gzip": replying(bomb(b'{"jsonrpc":"2.0",'), "gzip"),
    "JSON, deflate": replying(bomb(b'{"jsonrpc":"2.0",', how=15), "deflate"),
    "JSON, raw deflate": replying(bomb(b'{"jsonrpc":"2.0",', how=-15), "deflate"),
    "one event": replying(bomb(b"event: message\ndata: {"), "gzip", "text/event-stream"),
    "a line without end": replying(bomb(b"data: "), "gzip", "text/event-stream"),
    "a refusal": replying(bomb(), "gzip", "text/plain", 500),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_small_answer_that_inflates_without_end_is_given_up_at_the_limit(case: str) -> None:
    with (
        OddServer(with_calls(HOSTILE[case])) as server,
        talking(HttpChannel("http", server.url, {}, name="odd")) as odd,
        peak_near_the_limit(),
        pytest.raises(Unavailable, match="too large"),
    ):
        call(odd, "x")


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress"])
def test_an_answer_in_a_coding_that_was_not_asked_for_is_not_read(coding: str) -> None:
    with (
        OddServer(with_calls(replying(b"\x8b\x00\x80\x03", coding))) as server,
        talking(HttpChannel("http", server.url, {}, name="odd")) as odd,
    ):
        with pytest.raises(Unavailable, match="cannot be read"):
            call(odd, "x")
        offered = server.headers_of("tools/call")["accept-encoding"]
    assert offered == "gzip, deflate"


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("coding", ["gzip", "deflate", "identity", ""])
def test_an_honest_compressed_answer_is_read(kind: str, coding: str) -> None:
    def honest(handler: Handler) -> None:
        message = {"jsonrpc": "2.0", "id": handler.message["id"], "result": {"text": "bread " * 50_000}}
        text = json.dumps(message)
        body = (text if kind == "application/json" else f"event: message\ndata: {text}\n\n").encode()
        pressed = gzip.compress(body) if coding == "gzip" else zlib.compress(body) if coding == "deflate" else body
        handler.reply(200, pressed, kind, **({"Content_Encoding": coding} if coding else {}))

    with OddServer(with_calls(honest)) as server, talking(HttpChannel("http", server.url, {}, name="odd")) as odd:
        assert call(odd, "x")["text"] == "bread " * 50_000


def test_a_stream_of_many_events_has_no_limit_as_a_whole() -> None:
    def chatty(handler: Handler) -> None:
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 100_000}})
        end = json.dumps({"jsonrpc": "2.0", "id": handler.message["id"], "result": {"done": True}})
        handler.reply(
            200,
            gzip.compress(f"event: message\ndata: {note}\n\n".encode() * 40 + f"data: {end}\n\n".encode()),
            "text/event-stream",
            Content_Encoding="gzip",
        )

    with OddServer(with_calls(chatty)) as server, talking(HttpChannel("http", server.url, {}, name="odd")) as odd:
        assert call(odd, "x") == {"done": True}


def test_what_a_server_says_of_its_login_is_bounded_too(tmp_path: Path) -> None:
    body = bomb(b'{"resource":')

    def doing(handler: Handler) -> None:
        if handler.command == "POST":
            where = f"http://127.0.0.1:{handler.server.server_port}/.well-known/oauth-protected-resource"
            handler.reply(401, WWW_Authenticate=f'Bearer resource_metadata="{where}"')
        else:
            handler.reply(200, body, Content_Encoding="gzip")

    with OddServer(doing) as server, peak_near_the_limit(), pytest.raises(Unavailable, match="too large"):
        log_in(Logins(places(tmp_path)), server_at(server.url))


def test_a_fresh_token_is_bounded_too(tmp_path: Path) -> None:
    body = bomb(b'{"access_token":')
    with Accounts() as accounts, Guarded(accounts) as guarded:
        logins, server = Logins(places(tmp_path)), server_at(guarded.url)
        assert log_in(logins, server)
        accounts.access.clear()
        honest = accounts.doing
        accounts.doing = lambda handler: (
            handler.reply(200, body, Content_Encoding="gzip") if handler.command == "POST" else honest(handler)
        )
        with (
            peak_near_the_limit(),
            pytest.raises(Unavailable, match="too large"),
            talking(channel_of(server, lambda _: None, logins)),
        ):
            pass
