"""kill -9 at random moments: what was acknowledged is there, nothing is half there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import app_on, caller
from tests.engines.campaign import INTERRUPTIONS, Told, violations
from tests.engines.conftest import Engine, postgres_engine, sqlite_engine
from tests.engines.process import NEXT_STEPS
from tests.engines.test_blob import ended
from tests.engines.test_migrate import begin


def killed(engine: Engine, kills: int) -> list[Told]:
    command = [sys.executable, "-m", "tests.engines.campaign", "7", str(kills), *engine.address("one")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.proves("store:campaign:kill")
def test_500_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    engine = sqlite_engine(tmp_path)
    told = killed(engine, 500)
    assert len(told) > 100  # how many a client gets done before it is killed depends on the machine
    assert len({one["key"] for one in told}) == len(told)
    assert violations(engine.open(), told) == []
    engine.close()


@pytest.mark.proves("store:campaign:kill")
def test_kills_of_clients_of_a_shared_database_lose_nothing(postgres_url: str) -> None:
    engine = postgres_engine(postgres_url)
    engine.open()
    told = killed(engine, 60)
    assert len(told) > 12
    assert violations(engine.open(), told) == []
    engine.close()


@pytest.mark.proves("store:campaign:checker")
@pytest.mark.parametrize(
    "loss",
    [
        "DELETE FROM event WHERE seq = (SELECT max(seq) / 2 FROM event)",
        "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)",
        "DELETE FROM workflow WHERE id = (SELECT min(id) FROM workflow)",
        "UPDATE op SET answer = '{}' WHERE op_id = (SELECT max(op_id) FROM op)",
    ],
)
def test_the_checker_finds_the_loss_when_something_is_removed(tmp_path: Path, loss: str) -> None:
    engine = sqlite_engine(tmp_path)
    told = killed(engine, 10)
    while not told:  # on a busy machine all may have died before they wrote
        told = killed(engine, 10)
    assert violations(engine.open(), told) == []
    engine.spoil(loss)
    assert violations(engine.open(), told) != []
    engine.close()


@pytest.mark.proves("store:campaign:checker")
def test_the_checker_misses_no_op_that_vanished_without_a_trace(tmp_path: Path) -> None:
    """A store that lost its last commits whole is sound in itself: only what writers were told shows it."""
    engine = sqlite_engine(tmp_path)
    app = app_on(engine.open("two"))
    app.call("start_workflow", {"name": "kept"}, caller(idempotency_key="1"))
    engine.upkeep().merge(engine.upkeep("two").export())
    answer = app.call("start_workflow", {"name": "lost"}, caller(idempotency_key="2"))
    told = [{"key": "2", "answer": answer}]
    assert violations(engine.open("two"), told) == []
    assert violations(engine.open("one"), told) == ["2 was acknowledged and is not there"]
    engine.close()


def interrupted(task: str, source: Path, folder: Path) -> list[Path]:
    """The stores on which a task was begun and killed, each at another moment."""
    command = [sys.executable, "-m", "tests.engines.campaign", task, str(source), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0, "none was killed at work"
    stores = sorted(folder.iterdir())
    assert len(stores) == INTERRUPTIONS
    return stores


@pytest.mark.proves("store:campaign:kill", "store:migrate:backup")
def test_a_migration_that_is_killed_is_done_by_the_next_one(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "source"))
    for number in range(20):
        begin(database, f"{number}")
    database.close()
    for store in interrupted("migrate", tmp_path / "source", tmp_path / "stores"):
        database = Sqlite(str(store), NEXT_STEPS)
        assert database.query("SELECT at FROM stepped") == [(1,)]
        assert SqlLedger(database).head() == 20
        assert SqlUpkeep(database).verify() == []
        assert os.listdir(store / "backups")
        database.close()


@pytest.mark.proves("store:campaign:kill", "import:merge:keeps")
def test_an_import_that_is_killed_has_done_nothing_or_everything_and_can_be_repeated(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "source"))
    for number in range(60):
        begin(database, f"{number}")
    for number in range(20):
        ended(SqlLedger(database), os.urandom(1_000 + number))
    lines = list(SqlUpkeep(database).export())
    (tmp_path / "lines").write_text("\n".join(lines))
    for store in interrupted("merge", tmp_path / "lines", tmp_path / "stores"):
        database = Sqlite(str(store))
        assert SqlLedger(database).head() in (0, 80)
        SqlUpkeep(database).merge(iter(lines))
        assert list(SqlUpkeep(database).export()) == lines
        assert SqlUpkeep(database).verify() == []
        database.close()
