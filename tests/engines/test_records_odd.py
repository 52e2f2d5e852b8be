"""Records that somebody took away, planted or made unreadable."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, DeedlogError, NotWritten, Unavailable
from deedlog.core.records.building import plan_records
from deedlog.core.records.uid import DAY, moment_of, uid_at
from deedlog.core.records.values import ADR_FOLDER, STATE_FILE, TASK_FILE
from deedlog.core.records.wanted import Wanted
from deedlog.keeping import TreeLock
from deedlog.records.engine import FileRecords
from deedlog.records.journal import SECONDS
from tests.engines.record_keeping import files, record, wanted

NOW = 1_790_000_000_000_000


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture
def records(tree: Path, tmp_path: Path) -> FileRecords:
    return FileRecords(str(tree), str(tmp_path / "store"), clock=lambda: NOW)


def ended(records: FileRecords, spec: Wanted, said: int, end: DeedlogError) -> None:
    """Write, and let this come of telling the ledger."""
    try:
        with records.writing() as writing:
            earlier = {"earlier": writing.unfinished} if writing.unfinished else {}
            writing.put(plan_records(writing.book, spec, writing.uid, 0).files, {"said": said, **earlier})
            raise end
    except type(end):
        pass


def died(records: FileRecords, title: str, said: int, **fields: str) -> None:
    ended(records, wanted(title, **fields), said, Unavailable("nobody knows"))


def left(records: FileRecords) -> list[int]:
    """What the notes say that a new writer is told of, the last one first."""
    with records.writing() as writing:
        note, found = writing.unfinished, []
        while note:
            found.append(note["said"])
            note = note.get("earlier")
        return found


@pytest.mark.proves("clarify:files:taken-away")
def test_a_write_that_somebody_took_away_is_told_to_nobody(records: FileRecords, tree: Path) -> None:
    died(records, "Add a queue", 1, Queue_Broker="Kafka")
    kept = files(tree)
    shutil.rmtree(tree / "docs")
    assert left(records) == []
    for path, data in kept.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(data)
    assert left(records) == [1]


@pytest.mark.proves("clarify:files:taken-away")
@pytest.mark.parametrize("fields", [{"Queue_Broker": "Kafka"}, {}])
def test_a_write_of_two_that_died_is_told_as_long_as_its_files_are_there(
    records: FileRecords, tree: Path, fields: dict[str, str]
) -> None:
    died(records, "First", 1, **fields)
    died(records, "Second", 2, Database_Type="MySQL")
    assert left(records) == [2, 1]
    for path in files(tree):
        if path.startswith(ADR_FOLDER) and "MySQL" in (tree / path).read_text():
            (tree / path).unlink()
    assert 2 not in left(records)


@pytest.mark.proves("clarify:files:taken-away")
def test_a_write_whose_task_was_edited_stands_but_is_not_whole(records: FileRecords, tree: Path) -> None:
    died(records, "Add a queue", 1, Queue_Broker="Kafka")
    (tree / TASK_FILE).write_text("# mine\n")
    with records.writing() as writing:
        assert writing.unfinished
        assert writing.unfinished["whole"] is False


@pytest.mark.proves("clarify:files:taken-away")
def test_what_the_ledger_surely_has_not_is_taken_back(records: FileRecords, tree: Path) -> None:
    ended(records, wanted(Queue_Broker="Kafka"), 1, NotWritten("the disk is full: nothing was written"))
    assert files(tree) == {}
    assert left(records) == []


@pytest.mark.parametrize("place", [STATE_FILE, TASK_FILE, ADR_FOLDER])
def test_what_stands_in_the_way_is_named_and_no_descriptor_is_lost(
    records: FileRecords, tree: Path, place: str
) -> None:
    odd = tree / place
    odd.parent.mkdir(parents=True, exist_ok=True)
    if place == ADR_FOLDER:
        odd.write_text("a file")
    else:
        odd.mkdir()

    def refusal() -> DeedlogError:
        with pytest.raises(DeedlogError) as refused:
            record(records, wanted(Queue_Broker="Kafka"))
        return refused.value

    refusal()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        assert refusal().data["path"] == place
    assert ("real folder" in refusal().hint) == (place == ADR_FOLDER)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.proves("clarify:uid:planted")
@pytest.mark.parametrize("uid", ["99991231T235959.997Z-A001", "20990101T000000.000Z-A001", "20270231T000000.000Z-A001"])
def test_an_adr_of_the_future_stops_writers_only_while_it_is_there(
    records: FileRecords, tree: Path, tmp_path: Path, uid: str
) -> None:
    (tree / ADR_FOLDER).mkdir(parents=True)
    planted = tree / ADR_FOLDER / f"{uid}_x.md"
    planted.write_text(
        f"<!-- UID: {uid} -->\n\n# ADR: x\n\n## Architecture Snapshot\n\n### Queue\n- **Broker**: x (ADR {uid})\n"
    )
    assert records.book().architecture.plain() == {"Queue": {"Broker": "x"}}
    with pytest.raises(Conflict, match="lies in the future") as refusal:
        record(records, wanted(Queue_Broker="Kafka"))
    assert refusal.value.data["path"] == f"{ADR_FOLDER}/{planted.name}"
    planted.unlink()
    mark = tmp_path / "store/records/uid"
    mark.write_text(f"{uid}\n")  # as an older release would have kept it
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.adr
    assert moment_of(planned.adr.uid) == NOW
    assert moment_of(mark.read_text().strip()) < NOW + DAY


@pytest.mark.proves("clarify:uid:planted")
def test_a_task_or_an_archive_of_the_future_does_not_move_the_clock(records: FileRecords, tree: Path) -> None:
    later = uid_at(NOW + 2 * DAY, 1)
    (tree / "docs/archive/task").mkdir(parents=True)
    (tree / f"docs/archive/task/{later}_x.md").write_text("x")
    (tree / TASK_FILE).write_text(f"<!-- UID: {later} -->\n\n# x\n")
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.adr
    assert moment_of(planned.adr.uid) < NOW + DAY


def test_a_reader_does_not_wait_for_a_writer_that_was_stopped(records: FileRecords, tree: Path, tmp_path: Path) -> None:
    planned = record(records, wanted(Queue_Broker="Kafka"))
    assert planned.adr
    died(records, "Add a cache", 1, Cache_Store="Redis")
    kept = tmp_path / "store/records"
    (applied,) = kept.glob("applied-*")
    applied.rename(kept / applied.name.replace("applied", "journal"))  # as it is while somebody writes
    (tree / STATE_FILE).unlink()
    with TreeLock(str(kept / "lock"), 0.0, "busy"):
        found: list[dict[str, dict[str, str]]] = []
        reader = threading.Thread(target=lambda: found.append(records.book().architecture.plain()), daemon=True)
        reader.start()
        reader.join(SECONDS / 2)
        assert found == [{"Cache": {"Store": "Redis"}, "Queue": {"Broker": "Kafka"}}]
    assert [*kept.glob("journal-*")]
    records.book()
    assert not [*kept.glob("journal-*")]
    assert left(records) == [1]
