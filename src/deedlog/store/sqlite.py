"""SQLite through apsw: WAL, every commit on disk, one fair queue of writers.

apsw brings its own SQLite. Python's, up to 3.51.2, can silently lose acknowledged commits
when several processes write and checkpoint one WAL file, and its busy handler starves
writers. Here every write and every checkpoint happens under one `flock`.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading

import apsw

from deedlog.core.errors import DeedlogError
from deedlog.store.bell import BellWatch, ring
from deedlog.store.database import broken, moved_on
from deedlog.store.tables import STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Any

    from deedlog.ports import Watch
    from deedlog.store.database import Row, Transaction

FILE = "ledger.db"
OURS = 0x44454544  # application_id: "DEED"
SAFE_SQLITE = 3_051_003
BUSY_MS = 20_000
WORDS = {"{text}": "TEXT", "{int}": "INTEGER", "{kept}": "STRICT, WITHOUT ROWID"}
BACKUPS_KEPT = 3


def spell(sql: str) -> str:
    for word, spelling in WORDS.items():
        sql = sql.replace(word, spelling)
    return sql


def explained(error: Exception, path: str) -> DeedlogError:
    """A refusal a person can act on, for whatever SQLite says."""
    if isinstance(error, DeedlogError):
        return error
    if isinstance(error, apsw.FullError):
        return broken("the disk is full: nothing was written", f"make room on the disk of {path}, then repeat")
    if isinstance(error, apsw.ReadOnlyError | apsw.CantOpenError | PermissionError):
        return broken(f"the store {path} cannot be written", "check the folder's permissions, or set DEEDLOG_STORE")
    if isinstance(error, apsw.NotADBError):
        return broken(f"{path} is not a Deedlog store", "move the file away, or set DEEDLOG_STORE")
    if isinstance(error, apsw.CorruptError | apsw.FormatError | apsw.SchemaChangeError):
        hint = "run `deedlog doctor`; backups lie beside it in backups/, exports come back with `deedlog import`"
        return broken(f"the store {path} is damaged ({error})", hint)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return broken(f"the store {path} is busy: another program holds it", "repeat in a moment")
    return broken(f"the store {path} failed: {error}", "run `deedlog doctor`")


class Sqlite:
    """One store file. Each thread has its own connection."""

    project = "local"

    def __init__(self, folder: str, steps: tuple[str, ...] = STEPS) -> None:
        self.folder = folder
        self.path = os.path.join(folder, FILE)
        self.version = len(steps)
        self._steps = steps
        self._own = threading.local()
        self._read_only = False
        assert apsw.SQLITE_VERSION_NUMBER >= SAFE_SQLITE, "this SQLite can lose acknowledged commits"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            self._prepare()
        except (apsw.Error, OSError) as error:
            raise explained(error, self.path) from error

    def _prepare(self) -> None:
        found = self._version_of(self._connection())
        if found > self.version:
            raise moved_on(found, self.version)
        if found < self.version:
            from deedlog.store.migrate import upgrade_sqlite  # only a new or old store needs it

            upgrade_sqlite(self)

    def _version_of(self, connection: apsw.Connection) -> int:
        found = int(connection.pragma("user_version"))
        if connection.pragma("application_id") != OURS and (found or connection.pragma("schema_version")):
            raise broken(f"{self.path} is another program's database", "move it away, or set DEEDLOG_STORE")
        return found

    def _connection(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._connect()
        return connection

    def _connect(self) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        try:
            connection = apsw.Connection(self.path, flags=flags)
            connection.set_busy_timeout(BUSY_MS)
            connection.pragma("user_version")
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            if not os.path.exists(self.path):
                raise
            connection = self._connect_read_only()
        connection.pragma("synchronous", "FULL")
        if sys.platform == "darwin":
            connection.pragma("fullfsync", True)
        return connection

    def _connect_read_only(self) -> apsw.Connection:
        """A folder that cannot be written can still be read: as it is, when no log lies beside the file."""
        self._read_only = True
        immutable = "" if os.path.exists(self.path + "-wal") else "&immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        name = "file:" + self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return apsw.Connection(f"{name}?mode=ro{immutable}", flags=flags)

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        try:
            return self._connection().execute(sql, values).fetchall()
        except apsw.Error as error:
            raise explained(error, self.path) from error

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        try:
            yield from self._connection().execute(sql, values)
        except apsw.Error as error:
            raise explained(error, self.path) from error

    def write(self) -> Transaction:
        return SqliteTransaction(self)

    def ring(self) -> None:
        ring(self.folder)

    def watch(self) -> Watch:
        connection = self._connection()
        return BellWatch(self.folder, lambda: connection.pragma("data_version"))

    def integrity(self) -> list[str]:
        found = [str(row[0]) for row in self.query("PRAGMA integrity_check(20)")]
        return [] if found == ["ok"] else found

    def facts(self) -> dict[str, object]:
        size = sum(os.path.getsize(p) for p in (self.path, self.path + "-wal") if os.path.exists(p))
        return {
            "database": f"SQLite {apsw.sqlite_lib_version()}",
            "file": self.path,
            "bytes": size,
            "version": self.version,
            "writable": not self._read_only,
        }

    def close(self) -> None:
        """Close this thread's connection; the checkpoint that the last one makes belongs under the lock too."""
        connection: apsw.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            return
        self._own.connection = None
        if self._read_only:
            connection.close()
            return
        with WriterLock(self.folder, patient=False) as lock:
            if not lock.held:
                connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.close()


class WriterLock:
    """The queue in front of every write. The system releases it when its holder dies."""

    def __init__(self, folder: str, *, patient: bool = True) -> None:
        self._path = os.path.join(folder, "lock")
        self._patient = patient
        self.held = False

    def __enter__(self) -> WriterLock:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX if self._patient else fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.held = True
        except BlockingIOError:
            pass
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


class SqliteTransaction:
    def __init__(self, database: Sqlite) -> None:
        self._database = database
        self._lock = WriterLock(database.folder)

    def __enter__(self) -> SqliteTransaction:
        path = self._database.path
        if self._database._read_only:  # noqa: SLF001  # the two halves of one adapter
            raise explained(apsw.ReadOnlyError(), path)
        try:
            self._connection = self._database._connection()  # noqa: SLF001
            self._lock.__enter__()
        except (apsw.Error, OSError) as error:
            raise explained(error, path) from error
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            found = int(self._connection.pragma("user_version"))
            if found != self._database.version:
                self._connection.execute("ROLLBACK")
                raise moved_on(found, self._database.version)
        except BaseException as error:
            self._lock.__exit__()
            if isinstance(error, apsw.Error):
                raise explained(error, path) from error
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._connection.execute("COMMIT")
            elif self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error as failure:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise explained(failure, self._database.path) from failure
        finally:
            self._lock.__exit__()
        if isinstance(error, apsw.Error):
            raise explained(error, self._database.path) from error

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def execute(self, sql: str, values: Sequence[object] = ()) -> int:
        self._connection.execute(sql, values)
        return self._connection.changes()

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(sql, rows)
