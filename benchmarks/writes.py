"""(d) one recorded call against the same rows written with bare apsw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import apsw

from benchmarks.measure import interleaved, report, seconds
from deedlog.app import App
from deedlog.testing import app_in, caller

BATCH = 40
BODY = json.dumps({"name": "x", "description": "d" * 200, "plan": [], "status": "in_progress"})


def bare(folder: Path) -> Callable[[], None]:
    """SELECT the version, UPDATE the thing, INSERT the event, COMMIT; on disk like ours."""
    folder.mkdir(parents=True)
    db = apsw.Connection(str(folder / "bare.db"))
    db.pragma("journal_mode", "WAL")
    db.pragma("synchronous", "FULL")
    db.execute("CREATE TABLE thing (id TEXT PRIMARY KEY, version INTEGER, body TEXT)")
    db.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT)")
    db.execute("INSERT INTO thing VALUES ('t', 1, ?)", (BODY,))

    def write() -> None:
        db.execute("BEGIN IMMEDIATE")
        version = db.execute("SELECT version FROM thing WHERE id = 't'").get
        db.execute("UPDATE thing SET version = version + 1, body = ? WHERE id = 't' AND version = ?", (BODY, version))
        db.execute("INSERT INTO event (body) VALUES (?)", (BODY,))
        db.execute("COMMIT")

    return write


def recorded(app: App) -> Callable[[], object]:
    arguments = {"name": "x", "description": "d" * 200}
    return lambda: app.call("start_workflow", arguments, caller("bench"))


def per_write(write: Callable[[], object]) -> float:
    def batch() -> None:
        for _ in range(BATCH):
            write()

    return seconds(batch) / BATCH


def measure(work: Path, rounds: int) -> None:
    floor, ours = bare(work / "bare"), recorded(app_in(str(work / "recorded")))
    found = interleaved({"bare": lambda: per_write(floor), "ours": lambda: per_write(ours)}, rounds)
    report("(d) a recorded call against a bare apsw transaction", f"{found['ours'] / found['bare']:.1f}x", "<= 2.5x")
