"""10,000 lines no honest client sends: the server lives, owes nobody an answer, and writes nothing."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from deedlog.faces.mcp.lines import LONGEST_LINE
from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from tests.e2e.hostile import lines
from tests.e2e.processes import StdioServer

LINES = 10_000
HUGE = 100 * 1024 * 1024
MOST_MEMORY = 120 * 1024 * 1024
MOST_MEMORY_FOR_OBJECTS = 200 * 1024 * 1024
LAST = 10**9


def pushed(server: StdioServer, parts: list[bytes]) -> threading.Thread:
    def push() -> None:
        assert server.process.stdin
        for part in parts:
            server.process.stdin.write(part)
        server.process.stdin.flush()

    thread = threading.Thread(target=push)
    thread.start()
    return thread


def replies_until(server: StdioServer, last: int) -> list[Any]:
    """Every reply, each valid JSON-RPC, up to the one to `last`."""
    replies = []
    while True:
        message = server.receive()
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) != ("error" in message)
        if "error" in message:
            assert isinstance(message["error"]["code"], int)
            assert isinstance(message["error"]["message"], str)
        replies.append(message)
        if message["id"] == last:
            return replies


def peak_memory(server: StdioServer) -> int:
    (line,) = [x for x in Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if x.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


@pytest.fixture
def server(repo: Path) -> Any:
    with StdioServer([sys.executable, "-m", "deedlog", "mcp", "serve"], repo, os.environ) as started:
        yield started


def end(number: int) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/list"}).encode() + b"\n"


@pytest.mark.proves("face:mcp:hostile-lines")
def test_it_lives_and_gives_one_valid_reply_for_every_id(server: StdioServer, repo: Path) -> None:
    sent = list(lines(LINES))
    thread = pushed(server, [line for line, _ in sent] + [end(LAST)])
    replies = replies_until(server, LAST)
    thread.join()
    answered = Counter(reply["id"] for reply in replies if reply["id"] is not None)
    owed = [number for _, number in sent if number is not None]
    assert [number for number in owed if answered[number] != 1] == []
    assert answered.most_common(1)[0][1] == 1
    assert SqlLedger(Sqlite(str(repo / ".git/deedlog"))).events(EventQuery()) == []
    assert peak_memory(server) < MOST_MEMORY


@pytest.mark.proves("face:mcp:hostile-lines")
def test_a_line_of_100_megabytes_is_skipped_in_bounded_memory(server: StdioServer) -> None:
    chunk = b"x" * (1024 * 1024)
    start = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"'
    thread = pushed(server, [start] + [chunk] * (HUGE // len(chunk)) + [b'"}}\n', end(LAST)])
    refused, listed = replies_until(server, LAST)
    thread.join()
    assert refused["error"]["message"].endswith("was skipped")
    assert len(listed["result"]["tools"]) > 0
    assert peak_memory(server) < MOST_MEMORY


@pytest.mark.proves("face:mcp:hostile-lines")
def test_the_longest_line_of_the_smallest_objects_is_read_in_bounded_memory(server: StdioServer) -> None:
    start, stop = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"workflow_list","a":[', b"0]}}"
    objects = (LONGEST_LINE - len(start) - len(stop)) // len(b"[[]],") * b"[[]],"
    thread = pushed(server, [start, objects, stop, b"\n", end(LAST)])
    answered, _ = replies_until(server, LAST)
    thread.join()
    assert answered["result"]["structuredContent"]["workflows"] == []
    assert peak_memory(server) < MOST_MEMORY_FOR_OBJECTS


@pytest.mark.proves("face:mcp:hostile-lines")
def test_a_valid_call_among_the_noise_is_still_carried_out(server: StdioServer, repo: Path) -> None:
    call = {"name": "start_workflow", "arguments": {"name": "real"}}
    real = json.dumps({"jsonrpc": "2.0", "id": LAST, "method": "tools/call", "params": call}).encode() + b"\n"
    thread = pushed(server, [line for line, _ in lines(200, seed=3)] + [real])
    replies_until(server, LAST)
    thread.join()
    (event,) = SqlLedger(Sqlite(str(repo / ".git/deedlog"))).events(EventQuery())
    assert event.after is not None
    assert event.after["name"] == "real"
