"""The real MCP server as a process of its own, and just enough of a client to call its tools."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time

from deedlog.core.errors import Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

COMMAND = [sys.executable, "-P", "-m", "deedlog", "mcp", "serve"]
CLIENT = "scripted-agent"
REVISION = "2025-11-25"
SECONDS = 60.0
CHUNK = 65_536


class McpServer:
    """Use it as a context: the process has ended when that is left."""

    def __init__(self, folder: str, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._last_id = 0
        self._read = b""

    def __enter__(self) -> McpServer:
        self._process = subprocess.Popen(  # noqa: S603  # a list of arguments, never a shell
            COMMAND,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            who = {"name": CLIENT, "version": "1"}
            self._ask("initialize", {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": who})
            self._send({"method": "notifications/initialized"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.close()
            self._process.wait(SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            self._process.stdout.close()

    def call(self, tool: str, arguments: Json) -> Json:
        """What a tool answers."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise Unavailable(f"{tool} was refused: {json.loads(result['content'][0]['text'])['message']}")
        answer: Json = result["structuredContent"]
        return answer

    def _ask(self, method: str, params: Json) -> Json:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._last_id and "method" not in message:
                break
        if "error" in message:
            raise Unavailable(f"{method} was refused: {message['error']['message']}")
        result: Json = message["result"]
        return result

    def _send(self, message: Json) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise _silent() from error

    def _receive(self) -> Json:
        assert self._process.stdout
        pipe = self._process.stdout.fileno()
        end = time.monotonic() + SECONDS
        while b"\n" not in self._read:
            ready, _, _ = select.select([pipe], [], [], max(end - time.monotonic(), 0))
            data = os.read(pipe, CHUNK) if ready else b""
            if not data:
                raise _silent()
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        message: Json = json.loads(line)
        return message


def _silent() -> Unavailable:
    return Unavailable("the MCP server does not answer", hint="try it by hand: `deedlog mcp serve`")
