"""A client in the same process: what it sends, what it gets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from deedlog.app import App
from deedlog.faces.mcp.dispatch import Connection, Dispatcher, Reply

Json = dict[str, Any]
MODERN = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
WAIT_SECONDS = 10


def envelope(capabilities: Json | None = None, **more: Any) -> Json:
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        "io.modelcontextprotocol/clientInfo": {"name": "newcomer", "version": "1"},
        **more,
    }


def heard(reply: Reply | None) -> Any:
    """What a client reads, once it has it."""
    if reply is None:
        return None
    reply.sent()
    return json.loads(reply.data)


class Speaker:
    """Speaks to a dispatcher; in the new era it puts the envelope around every request."""

    def __init__(self, app: App, *, modern: bool = False, capabilities: Json | None = None, actor: str = "") -> None:
        self.heard: list[Json] = []
        self.modern = modern
        self.capabilities = capabilities or {}
        self.dispatcher = Dispatcher(app, actor)
        self.connection = Connection(self.dispatcher, self.heard.append)
        self._next = 0

    def initialize(self, version: str = LEGACY[-1], name: str = "oldtimer") -> Any:
        client = {"name": name, "version": "1"}
        return self.ask("initialize", protocolVersion=version, capabilities=self.capabilities, clientInfo=client)

    def message(self, method: str, **params: Any) -> Json:
        self._next += 1
        if self.modern:
            params["_meta"] = envelope(self.capabilities, **params.get("_meta", {}))
        return {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}

    def say(self, message: Any) -> Any:
        return heard(self.connection.take(message).run())

    def ask(self, method: str, **params: Any) -> Any:
        reply = self.say(self.message(method, **params))
        assert "error" not in reply, reply
        return reply["result"]

    def refused(self, method: str, **params: Any) -> Json:
        error: Json = self.say(self.message(method, **params))["error"]
        return error

    def call(self, tool: str, /, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def beside(self, message: Json) -> Beside:
        """Run a message in a thread of its own, as a transport does with what waits."""
        return Beside(self.connection.take(message).run)

    def notifications(self, method: str) -> list[Json]:
        return [message for message in list(self.heard) if message.get("method") == method]


class Beside:
    def __init__(self, run: Callable[[], Reply | None]) -> None:
        self._reply: Reply | None = None
        self._thread = threading.Thread(target=self._run, args=(run,), daemon=True)
        self._thread.start()

    def _run(self, run: Callable[[], Reply | None]) -> None:
        self._reply = run()

    def reply(self) -> Any:
        self._thread.join(WAIT_SECONDS)
        assert not self._thread.is_alive()
        return heard(self._reply)


def until(condition: Callable[[], Any]) -> Any:
    """What the condition gives, as soon as it holds."""
    end = time.monotonic() + WAIT_SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)
    return found
