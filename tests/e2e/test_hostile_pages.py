"""A page from elsewhere gets nothing, whatever Host, Origin and method it makes a browser on this machine send."""

from __future__ import annotations

import itertools
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import HttpServer

HOSTS = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "[::ffff:7f00:1].evil",
    "0.0.0.0",
    "",
    "evil:{port}",
]
ORIGINS = [
    "http://evil.example",
    "null",
    "http://localhost.evil.example",
    "https://127.0.0.1.evil",
    "file://",
    "http://127.0.0.1:1",
]
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]
PATHS = ["/", "/mcp", "/api/openapi.json", "/api/workflow/list", "/api/workflow/start"]
OURS = "127.0.0.1:{port}"
BODY = b'{"name": "planted"}'


def combinations() -> Iterator[tuple[str, str, str, str | None, str]]:
    """Method, path, Host, Origin and content type; at least one of Host and Origin is foreign."""
    for method, path, host in itertools.product(METHODS, PATHS, HOSTS):
        yield method, path, host, None, "application/json"
    for method, path, origin in itertools.product(METHODS, PATHS, ORIGINS):
        yield method, path, OURS, origin, "text/plain"
    for path, host, origin in itertools.product(PATHS, HOSTS, ORIGINS):
        yield "POST", path, host, origin, "application/json"


def status(port: int, method: str, path: str, headers: list[str]) -> int:
    """Sent by hand: a client library would put the headers right."""
    lines = [f"{method} {path} HTTP/1.1", *headers, f"Content-Length: {len(BODY)}", "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode() + BODY)
        answer = connection.makefile("rb").readline()
    return int(answer.split()[1])


@pytest.fixture
def server(repo: Path) -> Iterator[HttpServer]:
    environment = {**os.environ, "DEEDLOG_TOKEN": "secret"}
    with HttpServer([sys.executable, "-m", "deedlog", "serve", "--port", "0"], repo, environment) as started:
        yield started


@pytest.mark.proves("web:hostile-page", "web:host-and-origin:checked")
def test_every_combination_is_refused_even_with_the_token(server: HttpServer) -> None:
    tried = list(combinations())
    assert len(tried) >= 500
    let_in = []
    for method, path, host, origin, content_type in tried:
        headers = [f"Host: {host.format(port=server.port)}", f"Content-Type: {content_type}"]
        headers += [f"Origin: {origin}"] if origin else []
        headers.append("Authorization: Bearer secret")
        code = status(server.port, method, path, headers)
        if code not in {400, 403, 421}:
            let_in.append((method, path, host, origin, code))
    assert let_in == []
    assert server.post("/api/workflow/list", {}) == (200, {"workflows": []})


@pytest.mark.proves("web:token:everything")
def test_a_form_cannot_write_and_a_missing_token_is_told_apart(server: HttpServer) -> None:
    ours = [f"Host: 127.0.0.1:{server.port}"]
    start = "/api/workflow/start"
    assert status(server.port, "POST", start, [*ours, "Content-Type: application/x-www-form-urlencoded"]) in {401, 415}
    assert status(server.port, "POST", start, [*ours, "Content-Type: application/json"]) == 401
    wrong = "Authorization: Bearer wrong"
    assert status(server.port, "POST", start, [*ours, "Content-Type: application/json", wrong]) == 401
    assert server.post("/api/workflow/list", {}) == (200, {"workflows": []})
