"""What the ledger asks of a database: two kinds of access, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from deedlog.core.errors import Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Any, Protocol

    from deedlog.ports import Watch

    Row = tuple[Any, ...]
else:
    Protocol = object


class Transaction(Protocol):
    """A write transaction: leaving the block commits, an exception rolls back."""

    def __enter__(self) -> Transaction: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]: ...
    def execute(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run a statement; returns how many rows it touched."""

    def execute_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None: ...


class Database(Protocol):
    """SQL is written with `?`; the adapter knows its own spelling."""

    project: str

    def query(self, sql: str, values: Sequence[object] = ()) -> list[Row]: ...
    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """Rows one by one, all from one moment, without holding them all."""

    def write(self) -> Transaction: ...
    def watch(self) -> Watch: ...
    def ring(self) -> None:
        """Tell the watchers of every process that something was committed."""

    def integrity(self) -> list[str]:
        """What the database itself finds wrong with its files."""

    def facts(self) -> dict[str, object]: ...
    def close(self) -> None: ...


def broken(message: str, hint: str = "") -> Unavailable:
    return Unavailable(message, hint=hint, part=Part.DATABASE)


def moved_on(found: int, known: int) -> Unavailable:
    return broken(
        f"the store has moved on to version {found}; this program knows version {known}",
        "restart it with the newer deedlog that upgraded the store",
    )
