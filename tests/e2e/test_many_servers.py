"""32 real servers on one store, as 32 client windows would have them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.store.upkeep import SqlUpkeep
from tests.e2e.processes import StdioServer

SERVERS = 32
WRITES = 12
WATCHERS = 4
COMMAND = [sys.executable, "-m", "deedlog", "mcp", "serve"]


def write(server: StdioServer, number: int, answers: list[Any]) -> None:
    """Ask without waiting for each answer, as a busy client does."""
    for turn in range(WRITES):
        arguments = {"name": f"server {number} write {turn}"}
        params = {"name": "start_workflow", "arguments": arguments}
        server.send({"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params})
    answers.extend(server.receive() for _ in range(WRITES))


def watch(server: StdioServer, seen: list[int], until: int) -> None:
    """Follow the log with a long poll until `until` events were seen."""
    position = 0
    while len(seen) < until:
        answer = server.call("event_list", {"from_seq": position, "wait_ms": 20_000, "limit": 50})
        page = answer["structuredContent"]
        seen.extend(event["seq"] for event in page["events"])
        position = page["next_seq"]


def together(tasks: list[threading.Thread]) -> None:
    for task in tasks:
        task.start()
    for task in tasks:
        task.join(timeout=240)
        assert not task.is_alive()


def check(repo: Path, environment: dict[str, str], ledger: SqlLedger) -> None:
    total = SERVERS * WRITES
    servers = [StdioServer(COMMAND, repo, environment) for _ in range(SERVERS + WATCHERS)]
    answers: list[Any] = []
    seen: list[list[int]] = [[] for _ in range(WATCHERS)]
    try:
        writers = [
            threading.Thread(target=write, args=(server, number, answers))
            for number, server in enumerate(servers[:SERVERS])
        ]
        watchers = [
            threading.Thread(target=watch, args=(server, seqs, total))
            for server, seqs in zip(servers[SERVERS:], seen, strict=True)
        ]
        together([*watchers, *writers])
    finally:
        for server in servers:
            server.__exit__()

    refused = [answer for answer in answers if "error" in answer or answer["result"].get("isError")]
    assert refused == []
    assert "locked" not in json.dumps(answers)
    told = {answer["result"]["structuredContent"]["workflow_id"] for answer in answers}
    assert len(told) == total
    events = ledger.events(EventQuery(limit=total + 1))
    assert [event.seq for event in events] == list(range(1, total + 1))
    assert {event.entity_id for event in events} == told
    assert seen == [list(range(1, total + 1))] * WATCHERS


@pytest.mark.proves(
    "store:campaign:32-servers",
    "store:sqlite:queue",
    "store:two-processes:normal",
    "ledger:seq:dense",
    "ledger:events:none-missed",
    "ledger:events:other-process",
)
def test_32_servers_write_to_one_sqlite_store_and_every_watcher_sees_every_event_once(repo: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DEEDLOG_")}
    database = Sqlite(str(repo / ".git/deedlog"))
    check(repo, environment, SqlLedger(database))
    assert SqlUpkeep(database).verify() == []
    database.close()


@pytest.mark.proves("store:campaign:32-servers-postgres", "ledger:seq:dense", "ledger:events:none-missed")
def test_the_same_on_postgresql(repo: Path, postgres_url: str) -> None:
    subprocess.run(["git", "-C", str(repo), "remote", "add", "origin", "git@example.invalid:team/many.git"], check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DEEDLOG_")}
    environment["DEEDLOG_DATABASE_URL"] = postgres_url
    database = Postgres(postgres_url, "example.invalid/team/many")
    check(repo, environment, SqlLedger(database))
    assert SqlUpkeep(database).verify() == []
    database.close()
