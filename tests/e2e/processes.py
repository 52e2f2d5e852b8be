"""Real server processes and the plainest clients there are."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from deedlog.faces.cli.page_link import page_link
from deedlog.settings import load
from deedlog.token import sign_in_secret

WAIT_SECONDS = 30


def let_agents(home: Path) -> None:
    """Let agents and programs of the user with this home do what needs a person."""
    own = home / ".config/deedlog/config.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('agents_may = ["*"]\ntoken_rights = "person"\n')


class StdioServer:
    """A server on stdin and stdout."""

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._next = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        try:
            self.process.wait(timeout=WAIT_SECONDS)
        finally:
            self.process.kill()
            self.process.stdout.close()
            self.process.wait()

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise EOFError("the server went away")
        return json.loads(line)

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        message = self.reply(method, params)
        assert "error" not in message, message
        return message["result"]

    def reply(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The answer to a request, be it a result or an error."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": dict(params or {})})
        while (message := self.receive()).get("id") != self._next:
            pass
        return message

    def call(self, tool: str, arguments: Mapping[str, Any], **meta: Any) -> Any:
        return self.request(
            "tools/call", {"name": tool, "arguments": dict(arguments), **({"_meta": meta} if meta else {})}
        )


def with_token(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of a program that has the token; `Authorization=""` is one that has none."""
    given = {"Authorization": "Bearer secret"} if "authorization" not in {name.lower() for name in headers} else {}
    return {name: value for name, value in {**given, **headers}.items() if value or name.lower() != "authorization"}


class HttpServer:
    """`deedlog serve` on a free port, with the token `secret`. Requests carry it unless they say otherwise."""

    def __init__(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.environment = folder, environment
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr
        said = []
        for line in self.process.stderr:
            said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        self.__exit__()
        raise AssertionError("".join(said))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stderr
        self.process.terminate()
        try:
            self.process.wait(timeout=WAIT_SECONDS)
        finally:
            self.process.kill()
            self.process.stderr.close()
            self.process.wait()

    def request(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS)
        try:
            connection.request(method, path, body, with_token(headers))
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def link(self) -> str:
        """What `deedlog open` prints."""
        return page_link(f"127.0.0.1:{self.port}", sign_in_secret(load(str(self.folder), self.environment)))

    def sign_in(self) -> str:
        """Sign in as a browser does that opens a link, and return the page's key."""
        code = self.link().partition("#once=")[2]
        said = {"Authorization": f"Code {code}", "Origin": f"http://127.0.0.1:{self.port}"}
        status, answer = self.request("POST", "/sign-in", None, said)
        assert status == 200, answer
        return str(json.loads(answer)["key"])

    def get(self, path: str) -> Any:
        return json.loads(self.request("GET", path, None, {})[1])

    def post(self, path: str, data: Mapping[str, Any], token: str = "secret") -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        status, body = self.request("POST", path, json.dumps(data).encode(), headers)
        return status, json.loads(body)
