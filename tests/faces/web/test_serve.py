from __future__ import annotations

import http.client
import json
import os
import pty
import re
import select
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from deedlog.core.workflow import Workflow
from deedlog.faces.web.serve import listening
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from tests.e2e.processes import HttpServer
from tests.e2e.terminal import Terminal
from tests.faces.mcp.speaking import until
from tests.faces.web.conftest import ENVIRONMENT, SERVE
from tests.faces.web.test_mcp import Exchange, Legacy, modern

WAIT_SECONDS = 30


@pytest.mark.proves("web:serve:announces", "web:loopback:default")
def test_it_says_where_it_listens_but_shows_no_token_to_a_file(repo: Path) -> None:
    with HttpServer(SERVE, repo, ENVIRONMENT) as server:
        assert server.get("/health")["status"] == "ok"
        assert server.process.stderr
        line = server.process.stderr.readline()
        page = server.process.stderr.readline()
    assert "deedlog config get token" in line
    assert "secret" not in line
    assert "deedlog open" in page
    assert "#once" not in page


@pytest.mark.proves("web:serve:announces")
def test_it_shows_the_token_and_the_page_s_link_on_a_terminal(repo: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(SERVE, cwd=repo, env=ENVIRONMENT, stderr=theirs)
    os.close(theirs)
    shown = b""
    link = re.compile(rb"http://127\.0\.0\.1:(\d+)/#once=([\w-]+)\r")
    while not link.search(shown) and select.select([ours], [], [], WAIT_SECONDS)[0]:
        shown += os.read(ours, 4096)
    found = link.search(shown)
    assert found
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=WAIT_SECONDS)
    said = {"Authorization": f"Code {found[2].decode()}", "Origin": f"http://127.0.0.1:{found[1].decode()}"}
    connection.request("POST", "/sign-in", headers=said)
    assert json.loads(connection.getresponse().read())["key"]
    connection.close()
    process.terminate()
    assert process.wait(WAIT_SECONDS) == 0
    os.close(ours)
    assert b"Token for programs: secret" in shown


@pytest.mark.proves("web:serve:announces")
def test_it_shows_no_secret_at_the_terminal_of_an_agent(repo: Path) -> None:
    with Terminal(SERVE, repo, {**ENVIRONMENT, "CLAUDECODE": "1"}) as terminal:
        terminal.until("Open the page")
        terminal.until("`deedlog open`")
        assert "secret" not in terminal.shown
        assert "#once" not in terminal.shown


def test_it_stops_at_once_although_clients_listen_and_wait(repo: Path) -> None:
    with HttpServer(SERVE, repo, ENVIRONMENT) as server:
        stream = modern(server, "subscriptions/listen", notifications={"toolsListChanged": True})
        events = stream.events()
        next(events)
        level = {"io.modelcontextprotocol/logLevel": "info"}
        waiting = modern(server, "tools/call", name="wait_for_end", _meta=level)
        others = waiting.events()
        next(others)
        older = Legacy(server).post("tools/call", name="wait_for_end")
        asked = older.events()
        next(asked)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait_for_end"}}
        bare = Exchange(server, "POST", message)
        bare_events = bare.events()
        next(bare_events)
        server.process.terminate()
        assert next(events)["result"]["resultType"] == "complete"
        assert next(others)["result"]["structuredContent"] == {"text": "over"}
        assert next(asked)["result"]["structuredContent"] == {"text": "over"}
        assert next(bare_events)["result"]["structuredContent"] == {"text": "over"}
        for exchange in (stream, waiting, older, bare):
            exchange.close()
        assert server.process.wait(WAIT_SECONDS) == 0


def test_a_signal_among_writes_loses_none_that_was_acknowledged(repo: Path) -> None:
    acknowledged: list[str] = []
    strange: list[object] = []

    def write(port: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)
        headers = {"Content-Type": "application/json", "Authorization": "Bearer secret"}
        try:
            while True:
                connection.request("POST", "/api/workflow/start", b'{"name": "x"}', headers)
                response = connection.getresponse()
                answer = json.loads(response.read())
                if response.status == 200:
                    acknowledged.append(answer["workflow_id"])
                elif response.status != 503:
                    strange.append(answer)
        except (OSError, http.client.HTTPException):
            connection.close()

    server = HttpServer(SERVE, repo, ENVIRONMENT)
    writers = [threading.Thread(target=write, args=(server.port,)) for _ in range(16)]
    for writer in writers:
        writer.start()
    until(lambda: len(acknowledged) > 200)
    server.process.terminate()
    for writer in writers:
        writer.join(WAIT_SECONDS)
    _, errors = server.process.communicate(timeout=WAIT_SECONDS)
    assert (server.process.returncode, strange) == (0, [])
    assert "Traceback" not in errors
    ledger = SqlLedger(Sqlite(str(repo / ".git/deedlog")))
    assert [one for one in acknowledged if ledger.find_one(Workflow, one) is None] == []
    assert not (repo / ".deedlog/logs/errors.log").exists()
    ledger.close()


def test_the_session_that_was_idle_longest_makes_room_for_a_new_one(repo: Path) -> None:
    with HttpServer(SERVE, repo, ENVIRONMENT) as server:
        attentive = Legacy(server)
        stream = attentive.listen()
        idle, lively = Legacy(server), Legacy(server)
        assert lively.post("ping").status == 200
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
        for _ in range(998):
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
            connection.request(
                "POST",
                "/mcp",
                json.dumps(message),
                {"Content-Type": "application/json", "Authorization": "Bearer secret"},
            )
            assert connection.getresponse().read()
        connection.close()
        assert [client.post("ping").status for client in (attentive, idle, lively)] == [200, 404, 200]
        assert Legacy(server).opened
        stream.close()


def test_a_reply_does_not_wait_for_the_client_to_confirm_its_first_half() -> None:
    with listening("127.0.0.1", 0) as server, socket.create_connection(server.getsockname()):
        connection, _ = server.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.proves("page:server:proved")
@pytest.mark.parametrize(
    ("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")]
)
def test_nobody_else_can_listen_on_the_port_while_it_serves(family: socket.AddressFamily, address: str) -> None:
    with listening("127.0.0.1", 0) as server, socket.socket(family, socket.SOCK_STREAM) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            other.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)

        def take() -> None:
            other.bind((address, server.getsockname()[1]))
            other.listen()

        with pytest.raises(OSError, match="in use"):
            take()


def test_a_port_that_is_taken_is_told_in_one_line(repo: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*SERVE[:-1], port], cwd=repo, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=30
        )
    assert done.returncode == 3
    assert f"cannot listen on 127.0.0.1 port {port}" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.proves("web:token:beyond-loopback")
def test_beyond_loopback_everything_needs_the_token(repo: Path) -> None:
    """127.0.0.2 stands for another address: it can be reached here, and is not one of the usual names."""
    command = [*SERVE, "--host", "127.0.0.2"]
    process = subprocess.Popen(command, cwd=repo, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    found = re.search(r"http://127\.0\.0\.2:(\d+)", process.stderr.readline())
    assert found
    port = int(found[1])
    try:
        for method, path in (("GET", "/"), ("GET", "/health"), ("GET", "/api/openapi.json"), ("POST", "/mcp")):
            assert answered(port, method, path, "127.0.0.2") == 401
            assert answered(port, method, path, "127.0.0.2", "Bearer secret") != 401
            assert answered(port, method, path, "evil.example", "Bearer secret") == 421
    finally:
        process.terminate()
        assert process.wait(WAIT_SECONDS) == 0
        process.stderr.close()


def answered(port: int, method: str, path: str, host: str, authorization: str = "") -> int:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", "Content-Length: 0"]
    lines += [f"Authorization: {authorization}"] if authorization else []
    with socket.create_connection(("127.0.0.2", port), timeout=WAIT_SECONDS) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(connection.makefile("rb").readline().split()[1])


def test_a_session_is_not_shared_between_servers(repo: Path) -> None:
    with HttpServer(SERVE, repo, ENVIRONMENT) as one, HttpServer(SERVE, repo, ENVIRONMENT) as other:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
        opened = Exchange(one, "POST", message)
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert Exchange(one, "POST", ping, mcp_session_id=opened.session).json()["result"] == {}
        assert Exchange(other, "POST", ping, mcp_session_id=opened.session).status == 404
