"""Many sessions in many processes on one repository."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.clarification import Clarification, WrittenAdr
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from deedlog.store.upkeep import SqlUpkeep
from tests.e2e.clarifier import Clarifier, files, git

SERVERS, SESSIONS = 8, 5
WAIT_SECONDS = 300


def together(tasks: list[threading.Thread]) -> None:
    for task in tasks:
        task.start()
    for task in tasks:
        task.join(WAIT_SECONDS)
        assert not task.is_alive()


@pytest.mark.proves("clarify:race:nothing-lost")
def test_40_racing_sessions_lose_nothing(repo: Path) -> None:
    answers: list[dict[str, Any]] = []

    def decide(client: Clarifier, number: int) -> None:
        for turn in range(SESSIONS):
            intention = f"House rule {number * SESSIONS + turn}: be kind"
            answers.append(client.finish(intention, preferences={"force_adr": True}))

    with ExitStack() as stack:
        clients = [stack.enter_context(Clarifier(repo)) for _ in range(SERVERS)]
        together([threading.Thread(target=decide, args=pair) for pair in zip(clients, range(SERVERS), strict=True)])
        architecture = clients[0].call("read_architecture")["architecture"]

    total = SERVERS * SESSIONS
    uids = [answer["adr_uid"] for answer in answers]
    tasks = [answer["task_uid"] for answer in answers]
    assert len({*uids, *tasks}) == 2 * total
    there = files(repo)
    assert sorted(path[len("docs/adr/") :][: len(uids[0])] for path in there if path.startswith("docs/adr/")) == sorted(
        uids
    )
    archived = [path for path in there if path.startswith("docs/archive/task/")]
    assert len(archived) == total - 1
    said = {value for fields in architecture["categories"].values() for value in fields.values()}
    assert {f"House rule {number}: be kind" for number in range(total)} <= said
    assert architecture["uid"] == max(uids)
    database = Sqlite(str(repo / ".git/deedlog"))
    ledger = SqlLedger(database)
    assert {adr.id for adr in ledger.find(WrittenAdr, limit=total + 1)} == set(uids)
    assert ledger.count(Clarification, {"status": "completed"}) == total
    assert SqlUpkeep(database).verify() == []
    database.close()


@pytest.mark.proves("clarify:race:one-result")
def test_two_servers_that_complete_one_session_at_once_have_one_result(repo: Path) -> None:
    with Clarifier(repo) as one, Clarifier(repo) as two:
        for turn in range(10):
            asked = one.require("Add authentication", preferences={"force_adr": True})
            if asked["status"] == "completed":
                asked = one.require(f"Introduce a queue {turn}")
            answers = {question["id"]: "skip" for question in asked["questions"]}
            found: list[dict[str, Any]] = []
            together(
                [
                    threading.Thread(target=lambda c: found.append(c.reply(asked, answers)), args=(client,))  # noqa: B023
                    for client in (one, two)
                ]
            )
            assert found[0] == found[1]
            assert found[0]["status"] == "completed"
        adrs = [path for path in files(repo) if path.startswith("docs/adr/")]
        assert len(adrs) == 10


@pytest.mark.proves("clarify:race:nothing-lost", "clarify:session:sliding")
def test_two_servers_on_postgresql_share_sessions_and_lose_nothing(repo: Path, postgres_url: str) -> None:
    git(repo, "remote", "add", "origin", "git@example.invalid:team/clear.git")
    shared = {"DEEDLOG_DATABASE_URL": postgres_url}
    with Clarifier(repo, shared) as one, Clarifier(repo, shared) as two:
        asked = one.require("Add authentication")
        answers = {question["id"]: "skip" for question in asked["questions"]} | {"auth_strategy": "Email/Password"}
        found: list[dict[str, Any]] = []

        def complete(client: Clarifier) -> None:
            found.append(client.reply(asked, answers))
            for number in range(5):
                intention = f"House rule {id(client)} {number}"
                found.append(client.finish(intention, preferences={"force_adr": True}))

        together([threading.Thread(target=complete, args=(client,)) for client in (one, two)])
        assert len({answer["adr_uid"] for answer in found}) == 11
        said = [path for path in files(repo) if path.startswith("docs/adr/")]
        assert len(said) == 11
        assert one.architecture()["Authentication"]["Strategy"] == "Email/Password"
