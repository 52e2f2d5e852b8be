from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog import bootstrap, settings
from deedlog.core.errors import Conflict
from deedlog.core.team import Message
from deedlog.testing import caller
from tests.ops.children.conftest import ENABLED, Nursery
from tests.ops.workers.conftest import still_there


class Shared(Nursery):
    """One whose store is a server; supervisors find it by their environment."""

    def open(self, **flags: object) -> None:
        named = {name: value for name, value in os.environ.items() if name.startswith("DEEDLOG_")}
        self.app = bootstrap.build(settings.load(str(self.repo), named, {"enable": ENABLED, **flags}))


@pytest.fixture
def shared(repo: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    monkeypatch.setenv("DEEDLOG_DATABASE_URL", postgres_url)
    monkeypatch.setenv("DEEDLOG_PROJECT", "nursery")
    made = Shared(repo)
    made.agent()
    yield made
    for row in made.call("child_list", state="live", limit=200)["children"]:
        try:
            made.call("child_kill", child_id=row["child_id"])
        except Conflict:
            continue  # it ended by itself
    made.app.close()


def test_a_child_is_spoken_to_and_its_work_comes_in(shared: Shared) -> None:
    child = shared.talk("write a.txt x", "listen")
    shared.until_printed(child, "listening")
    sent = shared.send(child, "héllo", expect="stream", timeout_ms=60_000)
    assert [entry["message"] for entry in sent["reply"]["messages"]] == ["heard héllo"]
    shared.send(child, close=True)
    assert shared.collect(child)["outputs"]["artifacts"] == ["a.txt"]
    assert shared.call("worker_done", sessionId=child)["taskStatus"] == "done"
    assert "a.txt" in shared.files()


def test_messages_of_two_servers_come_once_and_in_order(shared: Shared) -> None:
    child = shared.talk()
    other = Shared(shared.repo)

    def say(server: Shared) -> None:
        for number in range(25):
            server.send(child, f"{id(server)} {number}", timeout_ms=0)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(say, (shared, other)))
    shared.send(child, close=True)
    shared.collect(child)
    heard = [line.split()[1:] for line in shared.printed(child) if line.startswith("heard")]
    for server in (shared, other):
        assert [int(number) for who, number in heard if who == str(id(server))] == list(range(25))
    places = sorted(message.place for message in shared.app.ledger.find(Message, {}, limit=100))
    assert places == list(range(1, 52))
    other.app.close()


def test_a_batch_is_repeated_under_its_key_and_swept(shared: Shared) -> None:
    entries = [{"prompt": f"do: print {number}", "agent": "hand"} for number in range(3)]
    key = caller(idempotency_key="k")
    first, again = (shared.app.call("child_batch_create", {"entries": entries}, key) for _ in range(2))
    ids = [row["child_id"] for row in first["children"]]
    assert [row["child_id"] for row in again["children"]] == ids
    for number, child in enumerate(ids):
        shared.collect(child)
        assert shared.printed(child) == [str(number)]
    assert sorted(row["child_id"] for row in shared.call("child_gc")["removed"]) == sorted(ids)
    assert {shared.call("task_get", id=row["task_id"])["status"] for row in first["children"]} == {"done"}


def test_limits_and_the_end_reach_a_child_and_a_dead_supervisor_is_noticed(shared: Shared) -> None:
    limited, cancelled, orphan = (shared.spawn("hang")["child_id"] for _ in range(3))
    shared.call("child_set_limits", child_id=limited, limits={"wallclock_ms": 1})
    assert shared.collect(limited)["exit"]["status"] == "failed"
    assert shared.call("child_cancel", child_id=cancelled, timeout_ms=0)["exit"]["status"] == "cancelled"
    session = shared.session(orphan)
    os.kill(int(session.process.split()[0]), signal.SIGKILL)
    shared.until(lambda: shared.status(orphan)["state"] == "terminated")
    shared.until(lambda: not still_there(session))
    assert shared.status(orphan)["exit"]["error"]["type"] == "crash"
