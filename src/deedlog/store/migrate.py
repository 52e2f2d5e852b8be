"""Bring an embedded store to this program's version: forward only, all or nothing, under the writers' lock."""

from __future__ import annotations

import os
import re
import time

import apsw

from deedlog.store import sqlite
from deedlog.store.database import broken, moved_on
from deedlog.store.lock import WriterLock
from deedlog.store.replay import rebuild
from deedlog.store.tables import spelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORDS = {"{text}": "TEXT", "{int}": "INTEGER", "{bytes}": "BLOB", "{kept}": "STRICT, WITHOUT ROWID"}
UPGRADE_SECONDS = 300.0  # twelve may start at once on a large store: they wait for the first
WAL_SECONDS = 20.0
BACKUP = re.compile(r"ledger-\d{8}T\d{6}-v\d+\.db(\.part)?")
BACKUPS_KEPT = 3
ROWS_SUPPOSED = 1_000_000


def upgrade_sqlite(store: sqlite.Sqlite) -> None:
    with WriterLock(store.folder, seconds=UPGRADE_SECONDS) as lock:
        connection = store.connection()
        found = store.version_of(connection)  # another process may have been faster
        if found > store.version:
            raise moved_on(found, store.version)
        if found == store.version:
            return
        if found == 0:
            _refuse_emptied(store, lock)
            _use_wal(connection)
        else:
            _backup(connection, store.folder, found)
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in store.steps[found:]:
                connection.execute(spelt(step, WORDS))
            _teach_planner(connection)
            if found:
                rebuild(sqlite.SqliteTransaction(connection), store.project)
            connection.pragma("application_id", sqlite.OURS)
            connection.pragma("user_version", store.version)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        lock.mark()


def _use_wal(connection: apsw.Connection) -> None:
    """Who looks just now whether there is a store yet is in the way, and SQLite does not always wait for them."""
    end = time.monotonic() + WAL_SECONDS
    while True:
        try:
            connection.pragma("journal_mode", "WAL")
        except apsw.BusyError:
            if time.monotonic() > end:
                raise
            time.sleep(0.005)
        else:
            return


def _teach_planner(connection: apsw.Connection) -> None:
    """Tell SQLite that a store is large and that `project`, the first column of every key, is always the same.

    Without such figures it takes a key's first column for selective and walks through whole tables.
    """
    connection.execute("ANALYZE")
    connection.execute("DELETE FROM sqlite_stat1")
    indexes: list[tuple[Any, ...]] = connection.execute(
        "SELECT t.name, i.name, i.partial, (SELECT count(*) FROM pragma_index_info(i.name)) "
        "FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table'"
    ).fetchall()
    for table, index, partial, columns in indexes:
        rows = ROWS_SUPPOSED // 100 if partial else ROWS_SUPPOSED  # else walking through the whole is no dearer
        figures = [rows] * 2 + [10] * (columns - 2) + [1] * (columns > 1)
        name = table if index.startswith("sqlite_autoindex_") else index
        connection.execute(
            "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", (table, name, " ".join(map(str, figures)))
        )
    connection.execute("ANALYZE sqlite_schema")  # reads them, for this connection too


def _refuse_emptied(store: sqlite.Sqlite, lock: WriterLock) -> None:
    """A file that lost its contents must not pass for a new store."""
    if lock.marked():
        hint = f"restore a backup, or remove {store.folder} to begin a new store"
        raise broken(f"{store.path} is empty, though a store was kept there", hint)


def _backup(connection: apsw.Connection, folder: str, version: int) -> None:
    backups = os.path.join(folder, "backups")
    os.makedirs(backups, mode=0o700, exist_ok=True)
    for name in _made_before(backups):
        if name.endswith(".part"):
            os.unlink(f"{backups}/{name}")  # of a process that died: nobody else is here
    target = f"{backups}/ledger-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-v{version}.db"
    connection.execute("VACUUM INTO ?", (target + ".part",))
    file = os.open(target + ".part", os.O_RDWR)
    os.fsync(file)
    os.close(file)
    os.replace(target + ".part", target)
    for old in _made_before(backups)[:-BACKUPS_KEPT]:
        os.unlink(f"{backups}/{old}")


def _made_before(backups: str) -> list[str]:
    """Our own files, oldest first; whatever else somebody keeps there is theirs."""
    with os.scandir(backups) as found:
        return sorted(one.name for one in found if BACKUP.fullmatch(one.name) and one.is_file(follow_symlinks=False))
