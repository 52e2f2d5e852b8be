"""How a store is made and brought to a newer version, with everybody at the door."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from deedlog.core.errors import Part, Unavailable
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery, Gone
from deedlog.store import sqlite
from deedlog.store.database import Database
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from deedlog.store.steps import STEPS
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine
from tests.engines.process import NEXT_STEPS
from tests.engines.test_store_contract import an_op

PROCESSES = 12
NEXT = len(NEXT_STEPS)


def at_once(command: str, engine: Engine) -> list[str]:
    """What twelve processes say that were let go at the same moment."""
    arguments = [sys.executable, "-m", "tests.engines.process", command, *engine.address("one")]
    processes = [
        subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate(timeout=60)[0].strip() for process in processes]


def begin(database: Database, name: str) -> str:
    return str(app_on(database).call("start_workflow", {"name": name}, caller())["workflow_id"])


def backups(engine: Engine) -> list[str]:
    """The names of the workflows in each backup."""
    if engine.name == "postgres":
        rows = engine.open(steps=NEXT_STEPS).query(f"SELECT body FROM deedlog_backup_v{len(STEPS)}.workflow")
        return [str(rows)] if rows else []
    folder = Path(engine.address("one")[1]) / "backups"
    found = []
    for file in folder.iterdir():
        place = folder.parent.parent / f"restored-{file.name}"
        place.mkdir()
        file.rename(place / "ledger.db")
        found.append(str(SqlLedger(Sqlite(str(place))).find(Workflow, limit=9)))
    return found


@pytest.mark.proves("store:migrate:at-once")
def test_twelve_processes_start_at_once_on_a_fresh_store(engine: Engine) -> None:
    said = at_once("start", engine)
    assert all(line.startswith("wf-") for line in said), said
    assert len(set(said)) == PROCESSES
    assert engine.ledger().head() == PROCESSES
    assert engine.upkeep().verify() == []


@pytest.mark.proves("store:migrate:at-once")
def test_whoever_comes_while_a_store_is_being_made_finds_it_sound(tmp_path: Path) -> None:
    for number in range(60):
        together = threading.Barrier(8, timeout=20)

        def come(_: int, store: str = str(tmp_path / f"{number}"), together: threading.Barrier = together) -> int:
            together.wait()
            return SqlLedger(Sqlite(store)).head()

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(come, range(8))) == [0] * 8


@pytest.mark.proves("store:migrate:at-once", "store:sqlite:queue")
def test_a_store_is_made_though_somebody_looks_whether_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ledger.db").touch()
    reader = apsw.Connection(str(tmp_path / "ledger.db"))
    reader.execute("BEGIN; SELECT * FROM sqlite_schema").fetchall()

    def go_away(_seconds: float) -> None:
        if reader.in_transaction:
            reader.execute("ROLLBACK")

    monkeypatch.setattr(sqlite, "BUSY_MS", 0)  # as if SQLite never waited
    monkeypatch.setattr(time, "sleep", go_away)
    assert SqlLedger(Sqlite(str(tmp_path))).head() == 0
    assert not reader.in_transaction


@pytest.mark.proves("store:migrate:at-once", "store:migrate:backup")
def test_twelve_processes_upgrade_a_store_at_once(engine: Engine) -> None:
    begin(engine.open(), "before the upgrade")
    assert at_once("upgrade", engine) == ["upgraded"] * PROCESSES
    upgraded = engine.open(steps=NEXT_STEPS)
    assert upgraded.query("SELECT at FROM stepped") == [(1,)]
    assert upgraded.query("SELECT label FROM workflow") == [("",)]
    begin(upgraded, "after the upgrade")
    assert SqlUpkeep(upgraded).verify() == []
    kept = backups(engine)
    assert len(kept) == 1
    assert "before the upgrade" in kept[0]
    assert "after the upgrade" not in kept[0]


def test_an_upgrade_makes_every_table_anew(engine: Engine) -> None:
    """What an older release derived otherwise, or not at all, is right afterwards."""
    older = engine.open()
    begin(older, "before the upgrade")
    older.write(lambda transaction: transaction.execute("UPDATE search SET title = 'as it used to be', folded = 'x'"))
    assert SqlUpkeep(older).verify() != []
    upgraded = engine.open(steps=(*STEPS, ""))
    assert SqlUpkeep(upgraded).verify() == []
    assert [hit.title for hit in SqlLedger(upgraded).search(["upgrade"], [], 9)] == ["before the upgrade"]


@pytest.mark.proves("store:migrate:backup")
def test_a_store_from_before_tasks_is_brought_along_with_what_it_holds(engine: Engine) -> None:
    older = engine.open(steps=STEPS[:1])
    kept = begin(older, "before there were tasks")
    undone = begin(older, "a mistake")
    before = SqlLedger(older)
    mistaken = before.events(EventQuery())[-1].op_id
    before.write(an_op(undo_of=mistaken), [Gone(entity=before.get(Workflow, undone))])  # as that release did
    lines = list(SqlUpkeep(older).export())
    ledger = engine.ledger()
    assert [workflow.id for workflow in ledger.find(Workflow, limit=9)] == [kept]
    assert engine.upkeep().verify() == []
    assert list(engine.upkeep().export()) == lines
    assert ledger.next_number(Task) == 1
    assert ledger.kept(ledger.keep(b"a patch")) == b"a patch"
    app_on(engine.open()).call("ledger_undo", {"op_id": ledger.events(EventQuery())[-1].op_id}, caller())
    assert ledger.get(Workflow, undone).name == "a mistake"
    assert engine.upkeep("two").merge(iter(lines))["conflicts"] == []
    assert engine.upkeep().rebuild() == 2
    assert engine.upkeep().verify() == engine.upkeep("two").verify() == []


@pytest.mark.proves("store:migrate:older-server")
def test_an_older_server_still_reads_and_is_told_to_restart_at_its_next_write(engine: Engine) -> None:
    older = engine.open()
    begin(older, "before the upgrade")
    newer = engine.open(steps=NEXT_STEPS)
    begin(newer, "after the upgrade")
    assert len(SqlLedger(older).find(Workflow, limit=9)) == 2
    with pytest.raises(
        Unavailable, match=f"moved on to version {NEXT}; this program knows version {NEXT - 1}"
    ) as refusal:
        begin(older, "too late")
    assert "restart" in refusal.value.hint
    assert refusal.value.part is Part.DATABASE
    assert SqlLedger(newer).head() == 2


@pytest.mark.proves("store:migrate:older-server")
def test_an_older_server_whose_tables_are_gone_is_told_to_restart_when_it_reads(engine: Engine) -> None:
    older = engine.open()
    begin(older, "before the upgrade")
    newer = engine.open(steps=NEXT_STEPS)
    newer.write(lambda transaction: transaction.execute("ALTER TABLE workflow RENAME TO piece"))
    with pytest.raises(Unavailable, match=f"moved on to version {NEXT}"):
        SqlLedger(older).find(Workflow, limit=9)


@pytest.mark.proves("store:migrate:newer-refused")
def test_a_newer_store_is_refused_and_left_as_it_is(engine: Engine) -> None:
    newer = engine.open(steps=NEXT_STEPS)
    begin(newer, "by the newer one")
    with pytest.raises(Unavailable, match=f"moved on to version {NEXT}"):
        engine.open()
    assert SqlLedger(newer).head() == 1
    assert SqlUpkeep(newer).verify() == []


@pytest.mark.proves("store:migrate:backup")
def test_a_failed_migration_changes_nothing(engine: Engine) -> None:
    begin(engine.open(), "before the upgrade")
    with pytest.raises(Unavailable):
        engine.open(steps=(*STEPS, "CREATE TABLE half (a {int}); CREATE TABLE half (a {int})"))
    database = engine.open()
    begin(database, "still at work")
    with pytest.raises(Unavailable):
        database.query("SELECT * FROM half")
    assert SqlUpkeep(database).verify() == []


@pytest.mark.proves("store:migrate:backup")
def test_only_the_last_three_backups_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    begin(Sqlite(str(folder)), "first")
    (folder / "backups").mkdir()
    (folder / "backups/ledger-20200101T000000-v1.db.part").write_text("of one that died")
    for day in range(1, 5):
        (folder / f"backups/ledger-2020010{day}T000000-v1.db").write_text("old")
    Sqlite(str(folder), NEXT_STEPS)
    kept = sorted(os.listdir(folder / "backups"))
    assert kept[:2] == ["ledger-20200103T000000-v1.db", "ledger-20200104T000000-v1.db"]
    assert len(kept) == 3


@pytest.mark.proves("store:migrate:backup")
def test_what_others_keep_among_the_backups_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    begin(Sqlite(str(folder)), "first")
    theirs = {"ledger-best.db", "a.part", "notes.txt", "ledger-20200101T000000-v1.db", "kept.part"}
    (folder / "backups/ledger-20200101T000000-v1.db").mkdir(parents=True)
    (folder / "backups/kept.part").mkdir()
    for name in theirs - {"ledger-20200101T000000-v1.db", "kept.part"}:
        (folder / "backups" / name).write_text("mine")
    for day in range(2, 6):
        (folder / f"backups/ledger-2020010{day}T000000-v1.db").write_text("old")
    Sqlite(str(folder), NEXT_STEPS)
    kept = set(os.listdir(folder / "backups"))
    assert theirs < kept
    assert {"ledger-20200104T000000-v1.db", "ledger-20200105T000000-v1.db"} < kept
    assert len(kept - theirs) == 3


@pytest.mark.parametrize(
    ("test", "index"), [("op_id = 'x'", "event_op"), ("seq < 999999 AND entity <> 'output'", "event_work")]
)
def test_queries_of_a_store_that_was_just_made_use_its_indexes(tmp_path: Path, test: str, index: str) -> None:
    database = Sqlite(str(tmp_path / "store"))
    sql = f"EXPLAIN QUERY PLAN SELECT * FROM event WHERE project = 'local' AND {test} ORDER BY seq DESC LIMIT 5"
    assert f"USING INDEX {index} " in str(database.query(sql))
