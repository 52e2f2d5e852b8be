"""MCP servers over HTTP on this machine: of the SDK, in processes of their own, and one that does as it is told."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl

from deedlog.gateway.remote.http import HttpChannel
from deedlog.gateway.talking.conversation import Conversation
from deedlog.ports import Silent

Json = dict[str, Any]
ROOT = Path(__file__).parents[3]
SESSION = "session-1"


class SdkServer:
    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self.process = process
        self.url = url

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def sdk_server(kind: str, *options: str) -> Iterator[SdkServer]:
    """A server of the SDK: `streamable-http`, with `--json` or `--modern`, or `sse`. It listens before it runs."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listening:
        port = listening.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.engines.gateway.sdk_server", kind, str(listening.fileno()), *options],
            cwd=ROOT,
            pass_fds=[listening.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    try:
        yield SdkServer(process, f"http://127.0.0.1:{port}{'/sse' if kind == 'sse' else '/mcp'}")
    finally:
        process.kill()
        process.wait()


class Handler(BaseHTTPRequestHandler):
    server: OddServer
    protocol_version = "HTTP/1.1"
    message: Json

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "form" in self.headers["Content-Type"]:
            self.message = dict(parse_qsl(body.decode()))
        else:
            self.message = json.loads(body)
        self._do()

    def do_GET(self) -> None:
        self.message = {}
        self._do()

    def do_DELETE(self) -> None:
        self.message = {}
        self._do()

    def _do(self) -> None:
        self.server.asked.append((self.command, self.path, dict(self.headers.items()), self.message))
        try:
            self.server.doing(self)
        except OSError:  # whoever asked has gone
            self.close_connection = True

    def reply(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def result(self, result: Json, **headers: str) -> None:
        self.reply(200, json.dumps({"jsonrpc": "2.0", "id": self.message["id"], "result": result}).encode(), **headers)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message: Json, name: str = "message") -> None:
        self.write(f"event: {name}\ndata: {json.dumps(message)}\n\n".encode())

    def write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class OddServer(ThreadingHTTPServer):
    """Does what a test says; `asked` is what it got. `over` is set when the test is."""

    daemon_threads = True
    request_queue_size = 200

    def __init__(self, doing: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.doing = doing
        self.asked: list[tuple[str, str, dict[str, str], Json]] = []
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

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):  # whoever asked has gone
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def methods(self) -> list[str]:
        return [message.get("method", command) for command, _, _, message in self.asked]

    def headers_of(self, method: str) -> dict[str, str]:
        found = [headers for _, _, headers, message in self.asked if message.get("method") == method]
        return {name.lower(): value for name, value in found[-1].items()}


def well_behaved(handler: Handler) -> None:
    """The handshake of a server with sessions; every other request is answered with what it said."""
    message = handler.message
    if handler.command == "GET":
        handler.reply(405)
    elif handler.command == "DELETE" or "id" not in message or "method" not in message:
        handler.reply(202)
    elif message["method"] == "initialize":
        handler.result(greeting(), Mcp_Session_Id=SESSION)
    else:
        handler.result({"said": message.get("params"), "session": handler.headers.get("Mcp-Session-Id")})


def greeting() -> Json:
    return {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "odd", "version": "1"},
    }


def with_calls(calls: Callable[[Handler], None]) -> Callable[[Handler], None]:
    """A server that behaves well until a tool is called."""
    return lambda handler: (calls if handler.message.get("method") == "tools/call" else well_behaved)(handler)


class Heard:
    """What became of a connection: what the server told, and why it was over."""

    def __init__(self) -> None:
        self.notices: list[tuple[str, Json]] = []
        self.lost: list[str] = []
        self.happened = threading.Condition()

    def notice(self, method: str, params: Json) -> None:
        with self.happened:
            self.notices.append((method, params))
            self.happened.notify_all()

    def over(self, why: str) -> None:
        with self.happened:
            self.lost.append(why)
            self.happened.notify_all()

    def until(self, condition: Callable[[], object]) -> None:
        with self.happened:
            assert self.happened.wait_for(condition, 60)


@contextmanager
def talking(channel: HttpChannel, heard: Heard | None = None, *, alone: bool = True) -> Iterator[Conversation]:
    """A conversation that has begun; afterwards nothing of it is left, nor of others where it was `alone`."""
    heard = heard or Heard()
    conversation = Conversation(channel, "odd", "/project", heard.notice, heard.over)
    try:
        conversation.open(60)
        yield conversation
    finally:
        conversation.close()
    wait_for(lambda: not alone or not any("HTTP" in thread.name for thread in threading.enumerate()))


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.01)


def call(conversation: Conversation, tool: str, seconds: float = 60, **arguments: Any) -> Json:
    return conversation.request("tools/call", {"name": tool, "arguments": arguments}, Silent(), seconds)
