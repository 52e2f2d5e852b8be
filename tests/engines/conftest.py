"""Both databases behind one face, so that one suite can be run on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.store.database import Database
from deedlog.store.ledger import SqlLedger
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.store.steps import STEPS
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import app_on

Opener = Callable[[str, tuple[str, ...]], Database]


class Engine:
    """A place for stores of one kind: the same name is the same store, opened as often as one likes."""

    def __init__(self, name: str, opener: Opener, address: Callable[[str], list[str]]) -> None:
        self.name = name
        self.address = address  # what `tests.engines.process` takes
        self._opener = opener
        self._open: list[Database] = []

    def open(self, store: str = "one", steps: tuple[str, ...] = STEPS) -> Database:
        database = self._opener(store, steps)
        self._open.append(database)
        return database

    def ledger(self, store: str = "one") -> SqlLedger:
        return SqlLedger(self.open(store))

    def app(self, store: str = "one", clock: Callable[[], int] | None = None) -> App:
        return app_on(self.open(store), clock=clock)

    def upkeep(self, store: str = "one") -> SqlUpkeep:
        return SqlUpkeep(self.open(store))

    def spoil(self, sql: str, store: str = "one") -> None:
        """Change a store behind the ledger's back; `$` stands for its project."""
        database = self.open(store)
        touched = database.write(lambda t: t.execute(sql.replace("$", f"'{database.project}'")))
        assert touched, f"{sql} changed nothing"

    def close(self) -> None:
        while self._open:
            self._open.pop().close()


def sqlite_engine(folder: Path) -> Engine:
    return Engine(
        "sqlite",
        lambda store, steps: Sqlite(str(folder / store), steps),
        lambda store: ["sqlite", str(folder / store)],
    )


def postgres_engine(url: str) -> Engine:
    return Engine("postgres", lambda store, steps: Postgres(url, store, steps), lambda store: ["postgres", url, store])


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        made = sqlite_engine(tmp_path)
    else:
        made = postgres_engine(request.getfixturevalue("postgres_url"))
    yield made
    made.close()
