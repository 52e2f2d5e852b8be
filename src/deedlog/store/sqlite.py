"""SQLite through apsw: WAL, every commit on disk, one fair queue of writers.

apsw brings its own SQLite. Python's, up to 3.51.2, can silently lose acknowledged commits
when several processes write and checkpoint one WAL file, and its busy handler starves
writers. Here every write and every checkpoint happens under one `flock`.
"""

from __future__ import annotations

import errno
import os
import sys
import threading

import apsw

from deedlog.core.errors import DeedlogError
from deedlog.project import LEDGER
from deedlog.store.bell import BellWatch, ring
from deedlog.store.database import broken, damaged, moved_on, not_written
from deedlog.store.lock import WriterLock
from deedlog.store.steps import STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from deedlog.ports import Watch
    from deedlog.store.database import Result, Row, Snapshot, Transaction

OURS = 0x44454544  # application_id: "DEED"
SAFE_SQLITE = 3_051_003
BUSY_MS = 20_000
MOST_LOG_BYTES = 16 << 20  # a log that grew in a burst shrinks to this again


def sqlite_refusal(error: Exception, path: str) -> DeedlogError:
    """A refusal a person can act on, for whatever SQLite or the system says."""
    if isinstance(error, DeedlogError):
        return error
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, apsw.FullError) or number in (errno.ENOSPC, errno.EDQUOT):
        return not_written("the disk is full: nothing was written", f"make room on the disk of {path}, then repeat")
    if isinstance(error, apsw.ReadOnlyError | PermissionError) or number == errno.EROFS:
        return not_written(
            f"the store {path} cannot be written", "check the folder's permissions, or set DEEDLOG_STORE"
        )
    if isinstance(error, apsw.CantOpenError | OSError):
        reason = error.strerror if isinstance(error, OSError) else "no such file, no permission, or not a file"
        return broken(f"the store {path} cannot be opened: {reason}", "check the path, or set DEEDLOG_STORE")
    if isinstance(error, apsw.NotADBError):
        return broken(
            f"{path} is not a Deedlog store, or its beginning is damaged", "move it away, or restore a backup"
        )
    if isinstance(error, apsw.ConnectionClosedError):
        return broken(f"the store {path} was closed", "open it again")
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return not_written(f"the store {path} is busy: another program holds it", "repeat in a moment")
    if isinstance(error, apsw.IOError):
        return broken(f"the disk failed under the store {path}: nothing was written", "check the disk, then repeat")
    return damaged(f"{path}: {' '.join(str(error).split())}")


class Sqlite:
    """One store file. Each thread has its own connection."""

    project = "local"

    def __init__(self, folder: str, steps: tuple[str, ...] = STEPS) -> None:
        self.folder = folder
        self.path = os.path.join(folder, LEDGER)
        self.steps = steps
        self.version = len(steps)
        self._connections: dict[threading.Thread, apsw.Connection] = {}
        self._process = os.getpid()
        assert apsw.SQLITE_VERSION_NUMBER >= SAFE_SQLITE, "this SQLite can lose acknowledged commits"
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if not os.path.exists(self.path):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._prepare()
        except (apsw.Error, OSError) as error:
            raise sqlite_refusal(error, self.path) from error

    def _prepare(self) -> None:
        found = self.version_of(self.connection())
        if found > self.version:
            raise moved_on(found, self.version)
        if found < self.version:
            from deedlog.store.migrate import upgrade_sqlite  # only a new or old store needs it

            upgrade_sqlite(self)

    def version_of(self, connection: apsw.Connection) -> int:
        with connection:  # from one moment: another process may be making the store just now
            found, ours, tables = map(connection.pragma, ("user_version", "application_id", "schema_version"))
        if ours != OURS and (found or tables):
            raise broken(f"{self.path} is another program's database", "move it away, or set DEEDLOG_STORE")
        return int(found)

    def connection(self) -> apsw.Connection:
        """The calling thread's own."""
        if os.getpid() != self._process:
            raise broken("the store was opened before this process was forked", "open it again")
        thread = threading.current_thread()
        connection = self._connections.get(thread)
        if connection is None:
            for other in [other for other in list(self._connections) if not other.is_alive()]:
                self._forget(other)
            connection = self._connect()
            if not connection.readonly("main"):  # else the next call asks again: it may be writable then
                self._connections[thread] = connection
        return connection

    def _forget(self, thread: threading.Thread) -> None:
        if connection := self._connections.pop(thread, None):  # another thread may be doing the same
            connection.close(True)

    def _connect(self) -> apsw.Connection:
        try:
            connection = apsw.Connection(self.path)
            connection.set_busy_timeout(BUSY_MS)
            connection.pragma("user_version")
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            if not os.path.isfile(self.path) or self._may_write():
                raise
            connection = self._connect_read_only()
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # see `close`
        connection.pragma("synchronous", "FULL")
        connection.pragma("journal_size_limit", MOST_LOG_BYTES)
        if sys.platform == "darwin":
            connection.pragma("fullfsync", True)
        return connection

    def _may_write(self) -> bool:
        return os.access(self.path, os.W_OK) and os.access(self.folder, os.W_OK)

    def _connect_read_only(self) -> apsw.Connection:
        """A folder that cannot be written can still be read: as it is, when no log lies beside the file."""
        frozen = not os.path.exists(self.path + "-wal")
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        name = "file:" + self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = apsw.Connection(f"{name}?mode=ro{'&immutable=1' if frozen else ''}", flags=flags)
        connection.set_busy_timeout(BUSY_MS)
        connection.pragma("user_version")
        return connection

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        try:
            return self.connection().execute(sql, values).fetchall()
        except (apsw.Error, ValueError) as error:
            raise self._refusal(error) from error

    def _refusal(self, error: Exception) -> DeedlogError:
        if isinstance(error, apsw.SQLError):  # a newer program may have changed the tables under this one
            found = int(self.connection().pragma("user_version"))
            if found != self.version:
                return moved_on(found, self.version)
        return sqlite_refusal(error, self.path)

    def snapshot(self) -> Snapshot:
        return SqliteSnapshot(self)

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        lock = WriterLock(self.folder)
        try:
            lock.__enter__()
        except OSError as error:
            raise sqlite_refusal(error, self.path) from error
        try:
            return self._committed(work)
        except (apsw.Error, UnicodeError) as error:
            raise self._refusal(error) from error
        finally:
            lock.__exit__()

    def _committed(self, work: Callable[[Transaction], Result]) -> Result:
        connection = self.connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            found = int(connection.pragma("user_version"))
            if found != self.version:
                raise moved_on(found, self.version)
            result = work(SqliteTransaction(connection))
            connection.execute("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise
        return result

    def _roll_back(self, connection: apsw.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:  # what failed is already on its way up; the next call gets a new connection
            self._forget(threading.current_thread())

    def ring(self) -> None:
        ring(self.folder)

    def watch(self) -> Watch:
        """With a connection of its own: one that commits itself does not see its own commits as news."""
        try:
            connection = self._connect()
        except apsw.Error as error:
            raise sqlite_refusal(error, self.path) from error
        return BellWatch(self.folder, lambda: self._news(connection), connection.close)

    def _news(self, connection: apsw.Connection) -> object:
        """Something that differs after a commit of another connection."""
        if connection.readonly("main"):
            return [_stamp(self.path), _stamp(self.path + "-wal")]
        try:
            return connection.pragma("data_version")
        except apsw.Error as error:
            raise sqlite_refusal(error, self.path) from error

    def integrity(self) -> list[str]:
        found = [line for row in self.query("PRAGMA integrity_check(20)") for line in str(row[0]).splitlines()]
        return [] if found == ["ok"] else found

    def facts(self) -> dict[str, object]:
        size = sum(os.path.getsize(p) for p in (self.path, self.path + "-wal") if os.path.exists(p))
        return {
            "database": f"SQLite {apsw.sqlite_lib_version()}",
            "file": self.path,
            "bytes": size,
            "version": self.version,
            "writable": not self.connection().readonly("main"),
        }

    def leave(self) -> None:
        if connection := self._connections.pop(threading.current_thread(), None):
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # that belongs under the lock
            connection.close()

    def close(self) -> None:
        """Close every thread's connection.

        The last connection to a file copies the log into it. That too belongs under the lock;
        when somebody else holds that, they will do it.
        """
        connections, self._connections = self._connections, {}
        if not connections or os.getpid() != self._process:
            return
        try:
            with WriterLock(self.folder, seconds=0) as lock:
                _close(connections, checkpoint=lock.held)
        except OSError:  # the folder cannot be written any more
            _close(connections, checkpoint=False)


def _close(connections: dict[threading.Thread, apsw.Connection], *, checkpoint: bool) -> None:
    for connection in connections.values():
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(not checkpoint))
            connection.close()
        except apsw.ThreadingViolationError:
            continue  # its thread is in the middle of something; it goes with that thread


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class SqliteTransaction:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        return self._connection.execute(sql, values)

    def execute(self, sql: str, values: Sequence[object] = ()) -> int:
        self._connection.execute(sql, values)
        return self._connection.changes()

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._connection.executemany(sql, rows)


class SqliteSnapshot:
    def __init__(self, database: Sqlite) -> None:
        self._database = database

    def __enter__(self) -> SqliteSnapshot:
        try:
            self._connection = self._database._connect()  # noqa: SLF001  # the two halves of one adapter
            self._connection.execute("BEGIN")
        except apsw.Error as error:
            raise sqlite_refusal(error, self._database.path) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close(True)

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return list(self.stream(sql, values))

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        try:
            yield from self._connection.execute(sql, values)
        except (apsw.Error, ValueError) as error:
            raise sqlite_refusal(error, self._database.path) from error
