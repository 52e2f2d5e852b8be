"""Clients that open connections and send no whole request, against a real server with small limits."""

from __future__ import annotations

import asyncio
import resource
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from deedlog.faces.web.connections import Connections, Limits, usual_limits
from tests.e2e.processes import HttpServer
from tests.faces.web.conftest import ENVIRONMENT, SERVE

pytestmark = pytest.mark.proves("web:connections:bounded")
WAIT_SECONDS = 30
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
SOON, NEVER = 0.05, 600.0


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the length of the body; `/stream` answers until the client leaves."""
    assert scope["type"] == "http"
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message["body"])
        more = message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    if scope["path"] == "/stream":
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    await send({"type": "http.response.body", "body": str(length).encode(), "more_body": False})


class Ready(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()


@contextmanager
def served(limits: Limits) -> Iterator[int]:
    """The port of a server in a thread."""
    ready = threading.Event()
    connections = Connections(limits)
    config = uvicorn.Config(
        echo,
        http=connections,  # type: ignore[arg-type]  # as `deedlog serve` does
        lifespan="off",
        log_level="error",
        timeout_keep_alive=1,
        timeout_graceful_shutdown=1,
    )
    server = Ready(config, ready)
    with socket.create_server(("127.0.0.1", 0)) as found:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([found])))
        thread.start()
        assert ready.wait(WAIT_SECONDS)
        yield found.getsockname()[1]
        server.should_exit = True
        thread.join(WAIT_SECONDS)
    assert connections.open == {}


def connected(port: int, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)
    connection.sendall(sent)
    return connection


def closed(connection: socket.socket) -> bool:
    """Wait for what comes; whether that is the end."""
    try:
        return connection.recv(4096) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nA: b"])
def test_a_request_whose_head_does_not_come_is_given_up(sent: bytes) -> None:
    with served(Limits(head_seconds=SOON, body_seconds=NEVER)) as port, connected(port, sent) as connection:
        assert closed(connection)


def test_a_head_that_trickles_in_does_not_gain_time() -> None:
    with served(Limits(head_seconds=0.3, body_seconds=NEVER)) as port, connected(port, GET[:-2]) as connection:
        with suppress(OSError):
            while not select.select([connection], [], [], 0.01)[0]:  # until it is closed
                connection.sendall(b"A: b\r\n")
        assert closed(connection)


def test_a_body_that_does_not_come_is_given_up() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
    with served(Limits(head_seconds=NEVER, body_seconds=SOON)) as port, connected(port, head + b"abc") as connection:
        assert closed(connection)


def test_a_whole_request_has_all_the_time_it_needs_and_the_next_one_is_watched_again() -> None:
    stream = GET.replace(b"/ ", b"/stream ", 1)
    with served(Limits(head_seconds=SOON, body_seconds=SOON)) as port, connected(port, stream) as streaming:
        assert b"200" in streaming.recv(4096)
        with connected(port, GET) as connection:  # when its time is over, that of the stream is over longer
            assert b"200" in connection.recv(4096)
            connection.sendall(b"GET / HT")
            while not closed(connection):
                pass
        while select.select([streaming], [], [], 0)[0]:
            assert not closed(streaming)


def test_who_is_silent_longest_makes_room_for_who_asks() -> None:
    with served(Limits(head_seconds=NEVER, body_seconds=NEVER, most=4)) as port, ExitStack() as stack:
        silent = [stack.enter_context(connected(port)) for _ in range(4)]
        asking = stack.enter_context(connected(port, GET))
        assert b"200" in asking.recv(4096)
        assert closed(silent[0])


def test_where_everybody_is_served_who_comes_last_is_refused() -> None:
    with served(Limits(head_seconds=NEVER, body_seconds=NEVER, most=2)) as port, ExitStack() as stack:
        streams = [stack.enter_context(connected(port, GET.replace(b"/ ", b"/stream ", 1))) for _ in range(2)]
        for stream in streams:
            assert b"200" in stream.recv(4096)
        late = stack.enter_context(connected(port))
        assert closed(late)


def test_half_of_the_descriptors_are_left_to_the_store() -> None:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert usual_limits().most <= max(16, files // 2)


def test_half_open_connections_do_not_stall_a_server_with_few_descriptors(repo: Path) -> None:
    few = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", *SERVE]
    with HttpServer(few, repo, ENVIRONMENT) as server, ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(connected(server.port, GET[:20]))
        for number in range(20):
            assert server.post("/api/workflow/start", {"name": str(number)})[0] == 200
