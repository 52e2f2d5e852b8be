"""Bring a store to this program's version: forward only, all or nothing, under the writers' lock, backup first."""

from __future__ import annotations

import os
import time

import apsw

from deedlog.store import sqlite
from deedlog.store.database import moved_on

KEPT = sqlite.BACKUPS_KEPT


def upgrade_sqlite(store: sqlite.Sqlite) -> None:
    with sqlite.WriterLock(store.folder):
        connection = store._connection()  # noqa: SLF001  # the adapter's other half
        found = store._version_of(connection)  # noqa: SLF001  # another process may have been faster
        if found > store.version:
            raise moved_on(found, store.version)
        if found == store.version:
            return
        if found == 0:
            connection.pragma("journal_mode", "WAL")
        else:
            _backup(connection, store.folder, found)
        with connection:
            for step in store._steps[found:]:  # noqa: SLF001
                connection.execute(sqlite.spell(step))
            connection.pragma("application_id", sqlite.OURS)
            connection.pragma("user_version", store.version)


def _backup(connection: apsw.Connection, folder: str, version: int) -> None:
    backups = os.path.join(folder, "backups")
    os.makedirs(backups, mode=0o700, exist_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    target = f"{backups}/ledger-v{version}-{stamp}-{os.getpid()}.db"
    connection.execute("VACUUM INTO ?", (target + ".part",))
    os.replace(target + ".part", target)
    for old in sorted(name for name in os.listdir(backups) if name.endswith(".db"))[:-KEPT]:
        os.unlink(f"{backups}/{old}")
