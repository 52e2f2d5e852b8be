"""PostgreSQL through psycopg, for projects that several machines share.

Everything lies in a schema of its own. A connection that is lost is opened again: reads are
repeated, and so is a write, because it finds its own op when it had been committed after all.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from itertools import count

import psycopg
from psycopg import conninfo, errors, pq

from deedlog.core.errors import DeedlogError, Invalid, Part
from deedlog.store.database import broken, damaged, moved_on, not_written
from deedlog.store.listen import Listener, ListenWatch
from deedlog.store.steps import STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from deedlog.ports import Watch
    from deedlog.store.database import Result, Row, Snapshot, Transaction

    Connection = psycopg.Connection[tuple[Any, ...]]

SCHEMA = "deedlog"
LOCK = 0x44454544  # the advisory lock that keeps writers out of a migration: "DEED"
DEFAULTS: dict[str, object] = {  # what the address may say otherwise
    "application_name": "deedlog",
    "connect_timeout": 10,
    "tcp_user_timeout": 30_000,  # and so on: a server that vanished without a word is noticed within a minute
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
PAUSES = (0.0, 0.1, 0.4, 1.0, 2.0)  # before another attempt
STARTS_WITHIN = 30.0  # seconds in which a server that says it is starting is waited for
WHILE_STARTING = 0.2  # seconds between two looks at it
PING_SECONDS = 2  # it keeps the other threads waiting
RETRIED = (errors.SerializationFailure, errors.DeadlockDetected)
SESSION = (
    f"SET search_path TO {SCHEMA}; "
    "SET idle_in_transaction_session_timeout TO '60s'; "  # a writer that was stopped must not stop the others
    "SET lock_timeout TO '30s'"
).encode()
SNAPSHOT = (
    b"; SET idle_in_transaction_session_timeout TO 0"  # a reader stops nobody
    b"; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
)
BEGIN = b"BEGIN; SELECT pg_advisory_xact_lock_shared(%d); SELECT version FROM schema_version" % LOCK


class StillStarting(psycopg.OperationalError):
    """The server was waited for long enough."""


def with_placeholders(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()


def postgres_refusal(error: Exception, where: str, secret: str = "") -> DeedlogError:
    """A refusal a person can act on, in one line and without the password."""
    if isinstance(error, DeedlogError):
        return error
    text = " ".join(str(error).split()) or type(error).__name__
    text = text.replace(secret, "***") if secret else text
    if isinstance(error, StillStarting):
        return broken(f"{where} is starting or stopping and takes no connections", "repeat when it is up")
    if isinstance(error, errors.DiskFull):
        return not_written(f"the disk of {where} is full: nothing was written", "make room there, then repeat")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return not_written(
            f"{where} cannot be written: it is a copy or read-only", "use the address of the primary server"
        )
    if isinstance(error, errors.InsufficientPrivilege):
        return broken(f"{where}: {text}", f"the user needs CREATE on the database, or on its schema {SCHEMA!r}")
    if isinstance(error, errors.LockNotAvailable):
        return not_written(f"{where} is busy: another program holds the project", "repeat in a moment")
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | UnicodeDecodeError):
        return damaged(f"{where}: {text}")
    return broken(f"{where}: {text}", "check DEEDLOG_DATABASE_URL and that the server is running, then repeat")


class Postgres:
    """One project in a database. Each thread has its own connection."""

    def __init__(self, url: str, project: str, steps: tuple[str, ...] = STEPS) -> None:
        self.project = project
        self.steps = steps
        self.version = len(steps)
        self.channel = f"deedlog_{hashlib.sha256(project.encode()).hexdigest()[:16]}"
        self._parameters = _parameters(url)
        self._connections: dict[threading.Thread, Connection] = {}
        self._process = os.getpid()
        self._ringing = threading.Lock()
        self._news = False
        self._listener = Listener(self)
        try:
            self._prepare()
        except BaseException as error:
            self.close()
            if isinstance(error, psycopg.Error | UnicodeError):
                raise self.refusal(error) from error
            raise

    @property
    def where(self) -> str:
        parts = {"host": "localhost", "port": "5432", "dbname": "", **self._parameters}
        return f"PostgreSQL {parts['host']}:{parts['port']}/{parts['dbname']}"

    def refusal(self, error: Exception) -> DeedlogError:
        if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn):  # a newer program may have changed them
            found = version_of(self.connection())
            if found > self.version:
                return moved_on(found, self.version)
        return postgres_refusal(error, self.where, str(self._parameters.get("password") or ""))

    def _prepare(self) -> None:
        connection = self.connection()
        if connection.info.parameter_status("server_encoding") != "UTF8":
            raise broken(f"{self.where} does not store UTF-8", "make a database with ENCODING 'UTF8'")
        found = version_of(connection)
        if found > self.version:
            raise moved_on(found, self.version)
        if found < self.version:
            from deedlog.store.migrate_postgres import upgrade_postgres  # only a new or old database needs it

            upgrade_postgres(connection, self)

    def connection(self) -> Connection:
        """The calling thread's own."""
        if os.getpid() != self._process:
            raise broken("the store was opened before this process was forked", "open it again")
        thread = threading.current_thread()
        connection = self._connections.get(thread)
        if connection is None:
            for other in [other for other in list(self._connections) if not other.is_alive()]:
                if left := self._connections.pop(other, None):  # another thread may be doing the same
                    left.close()
            connection = self._connections[thread] = self.connect()
        return connection

    def connect(self, more: bytes = b"") -> Connection:
        connection = self._connected()
        try:
            connection.execute(SESSION + more)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connected(self) -> Connection:
        """A server that starts, or recovers from a crash, will be there soon; one that is not there may never be."""
        end = time.monotonic() + STARTS_WITHIN
        while True:
            try:
                return psycopg.connect("", autocommit=True, **self._parameters)
            except psycopg.OperationalError as error:
                if not self._is_starting(error):
                    raise
                if time.monotonic() >= end:
                    raise StillStarting(str(error)) from error
            time.sleep(WHILE_STARTING)

    def _is_starting(self, error: psycopg.OperationalError) -> bool:
        """Whether the server that refused us takes nobody yet. The error has no code, and words in any language."""
        tried = error.pgconn
        if tried is None or isinstance(error, errors.ConnectionTimeout):
            return False
        found = {"host": tried.host, "hostaddr": tried.hostaddr, "port": tried.port}  # no name is looked up again
        place = {name: os.fsdecode(value) for name, value in found.items() if value}
        asked = {**self._parameters, **place, "connect_timeout": PING_SECONDS}
        return pq.PGconn.ping(conninfo.make_conninfo("", **asked).encode()) == pq.Ping.REJECT

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._persist(lambda: self.connection().execute(with_placeholders(sql), values).fetchall())

    def snapshot(self) -> Snapshot:
        return PostgresSnapshot(self)

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        return self._persist(lambda: self._committed(work))

    def _committed(self, work: Callable[[Transaction], Result]) -> Result:
        connection = self.connection()
        try:
            self._begin(connection)
            result = work(PostgresTransaction(connection))
            connection.execute(b"COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise
        return result

    def _begin(self, connection: Connection) -> None:
        cursor = connection.execute(BEGIN)
        while cursor.nextset():
            pass
        found = cursor.fetchall()[0][0]
        if found != self.version:
            raise moved_on(found, self.version)

    def _roll_back(self, connection: Connection) -> None:
        try:
            connection.execute(b"ROLLBACK")
        except psycopg.Error:  # what failed is already on its way up
            connection.close()

    def _persist(self, attempt: Callable[[], Result]) -> Result:
        """The result of `attempt`, made anew when the connection was lost or writers blocked each other."""
        pauses = iter(PAUSES)
        while True:
            try:
                return attempt()
            except (psycopg.Error, UnicodeError) as error:
                passing = self._lost() or isinstance(error, RETRIED)
                pause = None if isinstance(error, StillStarting) else next(pauses, None)
                if pause is None or not passing:
                    raise self.refusal(error) from error
            time.sleep(pause)

    def _lost(self) -> bool:
        """Whether this thread has no working connection; a broken one is forgotten."""
        connection = self._connections.get(threading.current_thread())
        if connection is not None and connection.closed:
            self._connections.pop(threading.current_thread(), None)
            return True
        return connection is None

    def ring(self) -> None:
        """One notice for all writes that happened meanwhile, outside of their transactions.

        A notice inside a transaction takes a lock on the whole database when it commits.
        """
        self._news = True
        while self._news and self._ringing.acquire(blocking=False):
            try:
                self._news = False
                self.connection().execute(b"SELECT pg_notify(%s, '')", (self.channel,))
            except psycopg.Error:
                self._lost()  # the poll will do
            finally:
                self._ringing.release()

    def watch(self) -> Watch:
        return ListenWatch(self._listener)

    def integrity(self) -> list[str]:
        invalid = (
            "SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
            "WHERE NOT indisvalid AND relnamespace = ?::regnamespace"
        )
        failures = "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()"
        found = [f"index {row[0]} is not valid: REINDEX it" for row in self.query(invalid, (SCHEMA,))]
        return found + [f"{row[0]} pages have a wrong checksum" for row in self.query(failures) if row[0]]

    def facts(self) -> dict[str, object]:
        size = (
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class "
            "WHERE relnamespace = ?::regnamespace"
        )
        return {
            "database": f"PostgreSQL {self.query('SHOW server_version')[0][0]}",
            "server": self.where.removeprefix("PostgreSQL "),
            "project": self.project,
            "bytes": self.query(size, (SCHEMA,))[0][0],
            "version": self.version,
            "writable": self.query("SHOW transaction_read_only")[0][0] == "off",
        }

    def leave(self) -> None:
        if connection := self._connections.pop(threading.current_thread(), None):
            connection.close()

    def close(self) -> None:
        """Close every thread's connection."""
        self._listener.close()
        connections, self._connections = self._connections, {}
        if os.getpid() == self._process:
            for connection in connections.values():
                connection.close()


def _parameters(url: str) -> dict[str, Any]:
    try:
        given: dict[str, Any] = dict(conninfo.conninfo_to_dict(url))
    except psycopg.Error:  # its text repeats the address, password and all
        hint = "its form is postgresql://user:password@host:5432/database"
        raise Invalid(
            "DEEDLOG_DATABASE_URL is not the address of a PostgreSQL", hint=hint, part=Part.CONFIGURATION
        ) from None
    return {**DEFAULTS, **given, "client_encoding": "UTF8"}


def version_of(connection: Connection) -> int:
    if connection.execute(b"SELECT to_regclass('schema_version')").fetchall()[0][0] is None:
        return 0
    return int(connection.execute(b"SELECT version FROM schema_version").fetchall()[0][0])


class PostgresTransaction:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._streams = count()

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(with_placeholders(sql), values).fetchall()

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        with self._connection.cursor(name=f"stream_{next(self._streams)}") as cursor:
            cursor.itersize = 500
            cursor.execute(with_placeholders(sql), values)
            yield from cursor

    def execute(self, sql: str, values: Sequence[object] = ()) -> int:
        return self._connection.execute(with_placeholders(sql), values).rowcount

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        self._connection.cursor().executemany(with_placeholders(sql), rows)


class PostgresSnapshot:
    def __init__(self, database: Postgres) -> None:
        self._database = database

    def __enter__(self) -> PostgresSnapshot:
        try:
            self._connection = self._database.connect(SNAPSHOT)
        except psycopg.Error as error:
            raise self._database.refusal(error) from error
        self._transaction = PostgresTransaction(self._connection)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return list(self.stream(sql, values))

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        try:
            yield from self._transaction.stream(sql, values)
        except (psycopg.Error, UnicodeError) as error:
            raise self._database.refusal(error) from error
