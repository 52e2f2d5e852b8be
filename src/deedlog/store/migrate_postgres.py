"""Bring a shared database to this program's version: forward only, in one transaction that keeps writers out."""

from __future__ import annotations

from deedlog.store.database import broken, moved_on
from deedlog.store.postgres import LOCK, SCHEMA, SESSION, PostgresTransaction, version_of
from deedlog.store.replay import rebuild
from deedlog.store.tables import spelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.store.postgres import Connection, Postgres

WORDS = {"{text}": 'TEXT COLLATE "C"', "{int}": "BIGINT", "{bytes}": "BYTEA", "{kept}": ""}
BACKUPS_KEPT = 3


def upgrade_postgres(connection: Connection, store: Postgres) -> None:
    """Lock first, then begin: a transaction that waited inside would not see what the others did.

    When this fails the caller closes the connection, which lets the lock go.
    """
    connection.execute(b"SET lock_timeout TO 0")  # twelve may start at once: they wait for the first
    connection.execute(b"SELECT pg_advisory_lock(%s)", (LOCK,))
    with connection.transaction():
        connection.execute(b"SET LOCAL lock_timeout TO '60s'")  # a long export is no reason to keep writers waiting
        found = version_of(connection)
        if found > store.version:
            raise moved_on(found, store.version)
        if found < store.version:
            _upgrade(connection, store, found)
    connection.execute(b"SELECT pg_advisory_unlock(%s)", (LOCK,))
    connection.execute(SESSION)


def _upgrade(connection: Connection, store: Postgres, found: int) -> None:
    if found == 0:
        _make_schema(connection, store)
    else:
        _backup(connection, found)
    for step in store.steps[found:]:
        connection.execute(spelt(step, WORDS).encode())
    transaction = PostgresTransaction(connection)
    for (project,) in transaction.query("SELECT project FROM head") if found else ():
        rebuild(transaction, project)
    connection.execute(b"UPDATE schema_version SET version = %s", (store.version,))


def _make_schema(connection: Connection, store: Postgres) -> None:
    if _tables(connection, SCHEMA):
        message = f"the schema {SCHEMA!r} of {store.where} belongs to another program"
        raise broken(message, "use a database of its own")
    if not connection.execute(b"SELECT 1 FROM pg_namespace WHERE nspname = %s", (SCHEMA,)).fetchall():
        connection.execute(f"CREATE SCHEMA {SCHEMA}".encode())
    connection.execute(b"CREATE TABLE schema_version (version BIGINT NOT NULL)")
    connection.execute(b"INSERT INTO schema_version VALUES (0)")


def _backup(connection: Connection, version: int) -> None:
    """The tables as they were, in a schema beside ours: there for the whole team, with no file to mislay."""
    backup, old = (f'"{SCHEMA}_backup_v{number}"' for number in (version, version - BACKUPS_KEPT))
    connection.execute(f"DROP SCHEMA IF EXISTS {backup} CASCADE; CREATE SCHEMA {backup}".encode())
    for table in _tables(connection, SCHEMA):
        connection.execute(f"CREATE TABLE {backup}.{table} AS TABLE {SCHEMA}.{table}".encode())
    connection.execute(f"DROP SCHEMA IF EXISTS {old} CASCADE".encode())


def _tables(connection: Connection, schema: str) -> list[str]:
    sql = b"SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(%s) ORDER BY relname"
    return [row[0] for row in connection.execute(sql, (schema,)).fetchall()]
