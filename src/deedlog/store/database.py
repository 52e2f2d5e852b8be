"""What the ledger asks of a database: a few kinds of access, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from deedlog.core.errors import NotWritten, Outdated, Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol, TypeVar

    from deedlog.ports import Watch

    Row = tuple[Any, ...]
    Result = TypeVar("Result")
else:
    Protocol = object


class Reader(Protocol):
    """SQL is written with `?`; the adapter knows its own spelling."""

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]: ...
    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """Rows one by one, without holding them all."""


class Transaction(Reader, Protocol):
    """A write transaction."""

    def execute(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run a statement; returns how many rows it touched."""

    def execute_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None: ...


class Snapshot(Reader, Protocol):
    """One moment of the store, however long the reading takes."""

    def __enter__(self) -> Snapshot: ...
    def __exit__(self, *_: object) -> None: ...


class Database(Protocol):
    project: str

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]: ...
    def snapshot(self) -> Snapshot: ...
    def write(self, work: Callable[[Transaction], Result]) -> Result:
        """Run `work` in a write transaction: all of it is committed, or nothing when it raises.

        A shared database may run it again after a deadlock or a lost connection, even one that
        was lost while committing: `work` must see for itself whether it was done already.
        """

    def watch(self) -> Watch: ...
    def ring(self) -> None:
        """Tell the watchers of every process that something was committed."""

    def integrity(self) -> list[str]:
        """What the database itself finds wrong with its files."""

    def facts(self) -> dict[str, object]: ...
    def leave(self) -> None:
        """Close the calling thread's connection."""

    def close(self) -> None: ...


def broken(message: str, hint: str = "") -> Unavailable:
    return Unavailable(message, hint=hint, part=Part.DATABASE)


def not_written(message: str, hint: str = "") -> NotWritten:
    """For what the database refuses before anything is committed."""
    return NotWritten(message, hint=hint, part=Part.DATABASE)


def damaged(what: str) -> Unavailable:
    hint = "run `deedlog doctor`; backups lie in the store's backups/, exports come back with `deedlog import`"
    return broken(f"the store is damaged: {what}", hint)


def moved_on(found: int, known: int) -> Unavailable:
    return Outdated(
        f"the store has moved on to version {found}; this program knows version {known}",
        hint="restart it with the newer deedlog that upgraded the store",
        part=Part.DATABASE,
    )
