"""Bytes kept beside the log: found again, checked, carried by exports, and removed only when nobody can want them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound, Part, Unavailable
from deedlog.core.task import Session
from deedlog.ports import EventQuery, Ledger
from deedlog.store import blob
from deedlog.store.blob import MOST_BYTES, Blob, unpack
from deedlog.testing import caller
from tests.engines.conftest import Engine, postgres_engine, sqlite_engine
from tests.engines.test_upkeep import exported
from tests.engines.tracked import a_session, commit, insistent

PATCH = b"diff --git a/x b/x\n\x00\xff\r\n" * 50
CHANGES = b'[{"path": "x"}]'


def ended(ledger: Ledger, patch: bytes = PATCH, changes: bytes = CHANGES) -> Session:
    """A session that names two blobs."""
    session = a_session(ledger.next_number(Session), patch=ledger.keep(patch), changes=ledger.keep(changes))
    commit(ledger, session)
    return ledger.get(Session, session.id)


def kept(engine: Engine, store: str = "one") -> int:
    database = engine.open(store)
    return int(database.query("SELECT count(*) FROM blob WHERE project = ?", (database.project,))[0][0])


def spoil(engine: Engine, digest: str, store: str = "one", data: str = "x'00'") -> None:
    value = data if engine.name == "sqlite" else data.replace("x'", "'\\x")
    engine.spoil(f"UPDATE blob SET data = {value} WHERE project = $ AND digest = '{digest}'", store)


@pytest.mark.proves("store:blob:checked")
@pytest.mark.parametrize("data", [b"", b"\x00", PATCH, os.urandom(300_000), b"a" * 5_000_000])
def test_what_was_kept_is_found_by_its_digest(engine: Engine, data: bytes) -> None:
    digest = engine.ledger().keep(data)
    assert digest == hashlib.sha256(data).hexdigest()
    assert engine.ledger().kept(digest) == data
    assert engine.ledger().keep(data) == digest
    assert kept(engine) == 1
    assert engine.ledger().head() == 0
    with pytest.raises(NotFound):
        engine.ledger("two").kept(digest)


@pytest.mark.proves("store:blob:checked")
@pytest.mark.parametrize("digest", ["", "x", "0" * 64, "é" * 200])
def test_what_was_not_kept_is_not_found(engine: Engine, digest: str) -> None:
    with pytest.raises(NotFound, match="nothing is kept as") as refusal:
        engine.ledger().kept(digest)
    assert len(refusal.value.message) < 150


def test_what_is_read_page_by_page_is_unpacked_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked: list[str] = []

    def counting(found: Blob) -> bytes:
        unpacked.append(found.digest)
        return unpack(found)

    monkeypatch.setattr(blob, "unpack", counting)
    ledger = engine.ledger()
    one, other = ledger.keep(PATCH), ledger.keep(CHANGES)
    assert [ledger.kept(one), ledger.kept(one), ledger.kept(one)] == [PATCH] * 3
    assert [ledger.kept(other), ledger.kept(one)] == [CHANGES, PATCH]
    assert unpacked == [one, other, one]


@pytest.mark.proves("store:blob:checked")
def test_the_largest_blob_fits_and_a_larger_one_is_refused(engine: Engine) -> None:
    ledger = engine.ledger()
    assert len(ledger.kept(ledger.keep(bytes(MOST_BYTES)))) == MOST_BYTES
    with pytest.raises(Invalid, match="67108865 bytes are too many"):
        ledger.keep(bytes(MOST_BYTES + 1))
    assert kept(engine) == 1


@pytest.mark.proves("doctor:verify:damage", "store:blob:checked")
@pytest.mark.parametrize("data", ["x'00'", "x''", "x'789c030000000001'", "x'789c4b040000620062'", "x'789c4b04'"])
def test_a_damaged_blob_is_refused_told_and_repaired_by_keeping_it_again(engine: Engine, data: str) -> None:
    ledger = engine.ledger()
    session = ended(ledger)
    spoil(engine, session.patch, data=data)
    with pytest.raises(Unavailable, match="the store is damaged: blob") as refusal:
        ledger.kept(session.patch)
    assert refusal.value.part is Part.DATABASE
    assert ledger.kept(session.changes) == CHANGES
    [problem] = engine.upkeep().verify()
    assert problem.startswith(f"blob {session.patch}, which {session.uri} names, is damaged")
    engine.upkeep().rebuild()
    assert engine.upkeep().verify() == [problem]
    ledger.keep(PATCH)
    assert engine.upkeep().verify() == []
    assert ledger.kept(session.patch) == PATCH


@pytest.mark.proves("doctor:verify:damage", "store:blob:checked")
def test_a_missing_blob_is_told(engine: Engine) -> None:
    session = ended(engine.ledger())
    engine.spoil(f"DELETE FROM blob WHERE project = $ AND digest = '{session.changes}'")
    [problem] = engine.upkeep().verify()
    assert problem.startswith(f"blob {session.changes}, which {session.uri} names, is missing")


@pytest.mark.proves("export:round-trip", "export:blobs")
def test_an_export_brings_the_blobs_along(engine: Engine) -> None:
    sessions = [ended(engine.ledger(), PATCH + bytes([n])) for n in range(3)]
    unnamed = engine.ledger().keep(b"of a call that died")
    lines = exported(engine)
    kinds = [next(iter(json.loads(line))) for line in lines]
    assert kinds == ["deedlog", *["blob"] * 4, *["op"] * 3]
    assert json.loads(lines[0])["blobs"] == 4
    answer = engine.upkeep("two").merge(iter(lines))
    assert (answer["added"], answer["conflicts"], answer["verified"]) == (3, [], True)
    other = engine.ledger("two")
    for number, session in enumerate(sessions):
        stored = other.get(Session, session.id)
        assert (other.kept(stored.patch), other.kept(stored.changes)) == (PATCH + bytes([number]), CHANGES)
    with pytest.raises(NotFound):
        other.kept(unnamed)
    assert engine.upkeep("two").verify() == []
    assert exported(engine, "two")[1:] == lines[1:]
    assert engine.upkeep("two").merge(iter(lines))["added"] == 0
    assert kept(engine, "two") == 4


@pytest.mark.proves("export:round-trip", "store:contract:both", "export:blobs")
def test_blobs_move_from_sqlite_to_postgresql_and_back(tmp_path: Path, postgres_url: str) -> None:
    local, shared = sqlite_engine(tmp_path), postgres_engine(postgres_url)
    try:
        session = ended(local.ledger(), os.urandom(100_000))
        shared.upkeep().merge(iter(exported(local)))
        local.upkeep("two").merge(iter(exported(shared)))
        patch = local.ledger().kept(session.patch)
        assert shared.ledger().kept(session.patch) == local.ledger("two").kept(session.patch) == patch
        assert shared.upkeep().verify() == local.upkeep("two").verify() == []
    finally:
        local.close()
        shared.close()


@pytest.mark.proves("export:round-trip", "export:blobs")
def test_an_export_from_before_there_were_blobs_is_imported(engine: Engine) -> None:
    engine.app().call("start_workflow", {"name": "old"}, caller())
    lines = exported(engine)
    assert list(json.loads(lines[0])) == ["deedlog", "format", "project", "ops", "head", "hash"]
    assert engine.upkeep("two").merge(iter(lines))["added"] == 1


@pytest.mark.proves("import:merge:keeps", "export:blobs")
def test_a_store_that_lost_blobs_is_still_exported_and_gets_them_back_by_an_import(engine: Engine) -> None:
    session = ended(engine.ledger())
    engine.upkeep("two").merge(iter(exported(engine)))
    spoil(engine, session.patch)
    engine.spoil(f"DELETE FROM blob WHERE project = $ AND digest = '{session.changes}'")
    poor = exported(engine)
    assert [json.loads(line)["data"] for line in poor[1:3]] == [None, None]
    assert engine.upkeep("two").merge(iter(poor))["conflicts"] == []
    assert engine.upkeep("two").verify() == []
    engine.upkeep("three").merge(iter(poor))
    assert len(engine.upkeep("three").verify()) == 2
    for store in ("one", "three"):
        assert engine.upkeep(store).merge(iter(exported(engine, "two")))["added"] == 0
        assert engine.upkeep(store).verify() == []
        assert engine.ledger(store).kept(session.patch) == PATCH


Line = dict[str, Any]
WRONG: dict[str, Callable[[Line, Line], Line]] = {
    "another's data": lambda blob, other: {"blob": blob["blob"], "data": other["data"]},
    "not packed": lambda blob, _: {"blob": blob["blob"], "data": "AAAA"},
    "not base64": lambda blob, _: {"blob": blob["blob"], "data": "no base64!"},
    "cut": lambda blob, _: {"blob": blob["blob"], "data": blob["data"][:-8]},
    "longer": lambda blob, _: {"blob": blob["blob"], "data": blob["data"].rstrip("=") + "AAAA"},
    "no digest": lambda blob, _: {"blob": "x", "data": blob["data"]},
    "upper case": lambda blob, _: {"blob": blob["blob"].upper(), "data": blob["data"]},
    "a number": lambda blob, _: {"blob": blob["blob"], "data": 5},
    "a number for a digest": lambda blob, _: {"blob": 5, "data": blob["data"]},
    "something more": lambda blob, _: {**blob, "op": {}},
    "something less": lambda blob, _: {"blob": blob["blob"]},
}


@pytest.mark.proves("import:garbage:refused", "export:blobs")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_line_whose_blob_is_wrong_is_refused_by_its_number(engine: Engine, wrong: str) -> None:
    ended(engine.ledger())
    lines = exported(engine)
    lines[2] = json.dumps(WRONG[wrong](json.loads(lines[2]), json.loads(lines[1])))
    with pytest.raises(Invalid, match=r"^line 3: "):
        engine.upkeep("two").merge(iter(lines), anyway=True)
    assert (engine.ledger("two").head(), kept(engine, "two")) == (0, 0)


@pytest.mark.proves("import:garbage:refused", "export:blobs")
def test_an_export_that_lacks_blobs_or_has_too_many_is_refused(engine: Engine) -> None:
    ended(engine.ledger())
    lines = exported(engine)
    for wrong in (lines[:1] + lines[2:], [*lines, lines[1]]):
        with pytest.raises(Invalid, match="of 2 blobs"):
            engine.upkeep("two").merge(iter(wrong), anyway=True)
    assert kept(engine, "two") == 0


@pytest.mark.proves("store:blob:checked")
def test_a_rebuild_removes_what_nobody_names_and_nothing_else(engine: Engine) -> None:
    ledger = engine.ledger()
    session = ended(ledger)
    undone = ended(ledger, b"undone")
    engine.app().call("ledger_undo", {"op_id": ledger.events(EventQuery())[-1].op_id}, caller())
    assert ledger.find_one(Session, undone.id) is None
    ledger.keep(b"of a call that died")
    assert engine.upkeep().verify() == []
    assert kept(engine) == 4
    other = engine.ledger("two").keep(b"of a call that died")
    engine.upkeep().rebuild(anyway=True)
    assert kept(engine) == 4
    engine.upkeep().rebuild()
    assert kept(engine) == 3
    assert ledger.kept(session.patch) == PATCH
    assert engine.ledger("two").kept(other) == b"of a call that died"
    engine.app().call("ledger_undo", {"op_id": ledger.events(EventQuery())[-1].op_id}, caller())
    assert ledger.kept(ledger.get(Session, undone.id).patch) == b"undone"
    assert engine.upkeep().verify() == []


@pytest.mark.proves("store:blob:checked")
def test_a_call_whose_blobs_a_rebuild_removed_is_refused_and_can_be_repeated(engine: Engine) -> None:
    ledger = engine.ledger()
    running = a_session(1)
    commit(ledger, running)
    digest = ledger.keep(PATCH)
    engine.upkeep().rebuild()
    with pytest.raises(Conflict, match="was cleared away meanwhile") as refusal:
        commit(ledger, ledger.get(Session, running.id).replace(patch=digest))
    assert refusal.value.hint == "repeat the call"
    assert ledger.head() == 1
    commit(ledger, ledger.get(Session, running.id).replace(patch=ledger.keep(PATCH)))
    assert engine.upkeep().verify() == []


@pytest.mark.proves("store:blob:checked")
def test_a_thing_whose_blob_was_lost_can_still_change(engine: Engine) -> None:
    ledger = engine.ledger()
    session = ended(ledger)
    engine.spoil(f"DELETE FROM blob WHERE project = $ AND digest = '{session.patch}'")
    commit(ledger, session.replace(branch="main"))
    assert ledger.get(Session, session.id).branch == "main"
    with pytest.raises(Conflict, match="was cleared away meanwhile"):
        commit(ledger, ledger.get(Session, session.id).replace(patch="0" * 64))


@pytest.mark.proves("store:blob:checked")
def test_writers_that_a_rebuild_meets_lose_nothing(engine: Engine) -> None:
    def write(number: int) -> list[str]:
        ledger, patches = engine.ledger(), [f"{number}.{turn}".encode() for turn in range(8)]
        return [insistent(lambda patch=patch: ended(ledger, patch)).id for patch in patches]  # type: ignore[misc]

    with ThreadPoolExecutor(5) as threads:
        writers = [threads.submit(write, number) for number in range(4)]
        upkeep = engine.upkeep()
        while not all(writer.done() for writer in writers):
            upkeep.rebuild()
        written = [session_id for writer in writers for session_id in writer.result()]
    assert engine.upkeep().verify() == []
    ledger = engine.ledger()
    assert len({ledger.kept(ledger.get(Session, session_id).patch) for session_id in written}) == 32
