"""Clients of gateways for measuring: as plain as can be, over stdio and over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Self

from benchmarks.measure import HANDSHAKE, StdioServer

Json = dict[str, Any]
TICK = os.sysconf("SC_CLK_TCK")


class Stdio(StdioServer):
    def cpu(self) -> float:
        return cpu_of(self._process.pid)


class Http:
    """A server over streamable HTTP, one connection kept open."""

    def __init__(self, command: list[str], folder: Path, port: int, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL)
        self._port, self._next = port, 0
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": "Bearer secret",
        }

    def __enter__(self) -> Self:
        deadline = time.monotonic() + 60
        while not reachable(self._port):
            assert self._process.poll() is None, "it ended at once"
            assert time.monotonic() < deadline, "it never listened"
            time.sleep(0.05)
        self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=30)
        finally:
            self._process.kill()

    def handshake(self) -> Self:
        self.request("initialize", HANDSHAKE)
        self._headers["MCP-Protocol-Version"] = HANDSHAKE["protocolVersion"]  # type: ignore[assignment]
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def _post(self, message: Json) -> bytes:
        self._connection.request("POST", "/mcp", json.dumps(message).encode(), self._headers)
        response = self._connection.getresponse()
        if session := response.getheader("Mcp-Session-Id"):
            self._headers["Mcp-Session-Id"] = session
        body = response.read()
        assert response.status < 300, body
        return body

    def request(self, method: str, params: Json) -> Any:
        self._next += 1
        body = self._post({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        for line in body.splitlines() if not body.startswith(b"{") else [body]:
            text = line.removeprefix(b"data:").strip()
            message = json.loads(text) if text.startswith(b"{") else {}
            if message.get("id") == self._next:
                assert "error" not in message, message
                return message["result"]
        raise EOFError("no answer")

    def call(self, tool: str, arguments: Json) -> Any:
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result

    def cpu(self) -> float:
        return cpu_of(self._process.pid)


def cpu_of(process: int) -> float:
    """Seconds that a process has had the CPU, all of its threads, not its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def reachable(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
