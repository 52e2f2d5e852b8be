"""(p) the page on a large store: its first views against the plainest answer, and how fast an event reaches open pages.

The store has 10,000 tasks; `DEEDLOG_BENCH_EVENTS=1000000` fills it up to as many events (a minute and a half).
"""

from __future__ import annotations

import os
import selectors
import socket
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks.big import TASKS, make
from benchmarks.measure import DEEDLOG, interleaved, report, seconds
from deedlog.app import App
from deedlog.testing import app_in, caller
from tests.e2e.processes import HttpServer

EVENTS = int(os.environ.get("DEEDLOG_BENCH_EVENTS", "100000"))
VIEWS = {"/": 40, "/board": 50, "/review": 20, "/workflows": 20, "/sessions": 50, "/events": 25}
MANY = 200
ENOUGH = 60.0  # seconds until something is certainly wrong
NUMBERS = count()


def measure(work: Path, rounds: int) -> None:
    folder = make(work / "page", TASKS, EVENTS)
    app = app_in(str(folder / ".git/deedlog"), tree=str(folder))
    with HttpServer([DEEDLOG, "serve", "--port", "0"], folder, {**os.environ, "DEEDLOG_TOKEN": "secret"}) as server:
        _views(server, rounds)
        _feed(server, app, rounds)
    app.close()


def _views(server: HttpServer, rounds: int) -> None:
    sizes = {view: len(_get(server, view)) for view in VIEWS}

    def asked(address: str) -> float:
        fresh = f"{address}?bench={next(NUMBERS)}"  # what was rendered a moment ago would be given again
        return seconds(lambda: _get(server, fresh))

    cases: dict[str, Callable[[], float]] = {view: partial(asked, view) for view in ("/health", *VIEWS)}
    found = interleaved(cases, rounds)
    for view, aim in VIEWS.items():
        told = f"(p) {view}: {found[view] * 1000:.0f} ms, {sizes[view] / 1000:.0f} KB, against /health"
        report(told, f"{found[view] / found['/health']:.1f}x", f"<= {aim}x")


def _feed(server: HttpServer, app: App, rounds: int) -> None:
    one, many = Streams(server.port, 1), Streams(server.port, MANY)
    try:
        cases: dict[str, Callable[[], float]] = {
            "health": lambda: seconds(lambda: _get(server, "/health")),
            "one": lambda: _until_told(app, one, many),
            "many": lambda: _until_told(app, many, one),
        }
        found = interleaved(cases, rounds)
    finally:
        one.close()
        many.close()
    told = f"(p) an event reaches an open page: {found['one'] * 1000:.0f} ms, against /health"
    report(told, f"{found['one'] / found['health']:.1f}x", "<= 25x")
    told = f"(p) it reaches all of {MANY} open pages: {found['many'] * 1000:.0f} ms, against one"
    report(told, f"{found['many'] / found['one']:.1f}x", "<= 5x")


def _get(server: HttpServer, address: str) -> bytes:
    status, body = server.request("GET", address, None, {})
    assert status == 200, (address, status)
    return body


class Streams:
    """So many open pages: what they were told since it was last asked."""

    def __init__(self, port: int, number: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._open = [self._opened(port) for _ in range(number)]
        self.wait_for(b"event: h")  # here, or hello: the first thing each is told

    def _opened(self, port: int) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", port), timeout=ENOUGH)
        connection.sendall(
            b"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
            b"Authorization: Bearer secret\r\n\r\n"
        )
        self._selector.register(connection, selectors.EVENT_READ)
        return connection

    def wait_for(self, text: bytes) -> None:
        """Until each of them was told it."""
        missing = dict.fromkeys(self._open, b"")
        end = time.monotonic() + ENOUGH
        while missing:
            assert time.monotonic() < end, f"{len(missing)} of {len(self._open)} were not told"
            for key, _ in self._selector.select(1.0):
                connection: socket.socket = key.fileobj  # type: ignore[assignment]
                data = connection.recv(65_536)
                assert data, "a stream ended"
                if connection in missing:
                    missing[connection] += data
                    if text in missing[connection]:
                        del missing[connection]

    def close(self) -> None:
        for connection in self._open:
            connection.close()
        self._selector.close()


def _until_told(app: App, asked: Streams, others: Streams) -> float:
    """How long it takes from the call that commits until each of these has the event; the others read theirs after."""
    begun = time.perf_counter()
    workflow_id = app.call("start_workflow", {"name": f"number {next(NUMBERS)}"}, caller("bench"))["workflow_id"]
    asked.wait_for(workflow_id.encode())
    taken = time.perf_counter() - begun
    others.wait_for(workflow_id.encode())
    return taken
