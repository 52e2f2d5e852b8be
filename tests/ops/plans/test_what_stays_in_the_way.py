from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from deedlog import bootstrap, settings
from deedlog.core.remark import IN_THE_WAY
from deedlog.workers import drive
from tests.ops.plans.conftest import MODULES
from tests.ops.plans.driven import Driven
from tests.ops.plans.planning import nodes_of
from tests.ops.workers.conftest import Shop
from tests.postgres import PostgresServer


def test_a_git_command_of_a_person_holds_a_merge_up_and_fails_nothing(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = shop.repo / ".git/index.lock"

    def refused(times: int) -> None:
        if times == 3:
            lock.unlink()

    driven = Driven(shop, monkeypatch, refused)
    lock.touch()
    assert driven.to_its_end().state == "done"
    assert driven.refusals == 3
    assert [(node.state, node.attempts) for node in nodes_of(shop, driven.run_id)] == [("done", 1)]
    assert "a.txt" in shop.files()


def test_what_stays_in_the_way_fails_the_node_and_asks_a_person(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = shop.repo / ".git/index.lock"
    driven = Driven(shop, monkeypatch, lambda _: monkeypatch.setattr(drive, "AWAY", 0.0))
    lock.touch()
    assert driven.to_its_end().state == "failed"
    (node,) = nodes_of(shop, driven.run_id)
    assert (node.state, node.attempts) == ("failed", 1)
    asked = shop.call("review_list")["reviews"]
    assert [(row["reason"], row["review_id"]) for row in asked] == [(IN_THE_WAY, node.error["review_id"])]
    lock.unlink()
    shop.call("worker_done", sessionId=1)
    assert shop.reviews() == []


class Served(Shop):
    """One whose store is a server; its processes find that by their environment."""

    def open(self, **flags: object) -> None:
        named = {name: value for name, value in os.environ.items() if name.startswith("DEEDLOG_")}
        self.app = bootstrap.build(settings.load(str(self.repo), named, {"enable": MODULES, **flags}))


def test_a_database_that_is_away_for_longer_than_all_tries_fails_nothing(
    repo: Path, monkeypatch: pytest.MonkeyPatch, postgres_server: PostgresServer, postgres_url: str
) -> None:
    monkeypatch.setenv("DEEDLOG_DATABASE_URL", postgres_url)
    monkeypatch.setenv("DEEDLOG_PROJECT", "away")
    shop = Served(repo)
    shop.configure(enable=MODULES)
    shop.agent()
    tries = drive.TRIES + 1

    def refused(times: int) -> None:
        if times == tries:
            postgres_server.start()

    driven = Driven(shop, monkeypatch, refused, tries=drive.TRIES)
    driven.before_the_first_merge = lambda: postgres_server.stop(signal.SIGQUIT)
    assert driven.to_its_end().state == "done"
    assert driven.refusals == tries
    assert [(node.state, node.attempts) for node in nodes_of(shop, driven.run_id)] == [("done", 1)]
    shop.app.close()
