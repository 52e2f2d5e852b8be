"""A provider of language models on this machine, that does what a test tells it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Json = dict[str, Any]
Doing = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        self.server.asked.append((self.path, dict(self.headers.items()), body))
        place = min(len(self.server.asked), len(self.server.doing)) - 1
        try:
            self.server.doing[place](self)
        except OSError:  # whoever asked has gone
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Provider(ThreadingHTTPServer):
    """Does one thing after the other, the last one again and again; `asked` is what it got."""

    daemon_threads = True

    def __init__(self, *doing: Doing) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.doing = doing
        self.asked: list[tuple[str, dict[str, str], Json]] = []
        self.over = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def said(self) -> list[Json]:
        """What the user's message of each request held."""
        return [json.loads(body["messages"][-1]["content"]) for _, _, body in self.asked]


def replying(status: int, body: bytes, **headers: str) -> Doing:
    def reply(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def hanging(handler: Handler) -> None:
    handler.server.over.wait()


def trickling(handler: Handler) -> None:
    """One byte after the other, never so late that a single read runs out of time."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.over.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def hanging_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.close()


def cut_off(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def by_openai(proposal: object, finish_reason: str = "stop") -> bytes:
    content = proposal if isinstance(proposal, str) else json.dumps(proposal)
    return json.dumps({"choices": [{"finish_reason": finish_reason, "message": {"content": content}}]}).encode()


def by_anthropic(proposal: object, stop_reason: str = "tool_use", name: str = "propose") -> bytes:
    used = {"type": "tool_use", "id": "x", "name": name, "input": proposal}
    return json.dumps({"content": [{"type": "text", "text": "Here."}, used], "stop_reason": stop_reason}).encode()
