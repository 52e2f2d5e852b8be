"""(m) appending and watching against bare inserts and bare reads of the same rows, in the same store.

For one event the ledger writes the thing, the event with the hash that chains it, a row for each of its
subjects and the search text; a watcher gets what each event means, as JSON, and not the columns of a row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import psycopg

from benchmarks.measure import interleaved, report, seconds
from deedlog.app import App
from deedlog.core.entry import Op
from deedlog.core.run import Node, Run
from deedlog.store.postgres import SCHEMA, Postgres
from deedlog.store.rows import EVENT
from deedlog.store.sqlite import Sqlite
from deedlog.testing import app_on, caller
from tests.postgres import PostgresServer

RUN = "run_123"
AT_ONCE = 100  # events of an op
WATCHED = 2_000
SHOWN = f"SELECT {EVENT} FROM event WHERE seq > {{0}} ORDER BY seq LIMIT {AT_ONCE}"
MADE = "CREATE TABLE bare_event AS SELECT * FROM event"
NUMBERS = count()
Rows = list[tuple[Any, ...]]


class Store:
    """A store with a run in it, and a second, bare connection to the same file or database."""

    def __init__(self, app: App, query: Callable[..., Rows], insert: Callable[[Rows], None]) -> None:
        self.app, self._query, self._insert = app, query, insert
        self._commit(Run(id=RUN, workflow_id="", created_at=1))
        while app.ledger.head() < WATCHED:
            self.append()

    def _commit(self, *values: Any) -> None:
        op = Op(op_id=f"op-{next(NUMBERS)}", operation="bench", effect="write", actor="bench", at=1)
        self.app.ledger.write(op, values)

    def append(self) -> None:
        number = next(NUMBERS)
        nodes = [Node(id=f"{number}:{n}", run_id=RUN, name=f"node {n}", created_at=1) for n in range(AT_ONCE)]
        self._commit(*nodes)

    def insert(self) -> Callable[[], None]:
        """The same number of rows as they are in the log, in one transaction."""
        rows = self._query(SHOWN, 1)
        return lambda: self._insert(rows)

    def watch(self) -> None:
        seq = read = 0
        while read < WATCHED:
            arguments = {"uri": f"sc://runs/{RUN}/events", "from_seq": seq, "limit": 500}
            answer = self.app.call("resources_watch", arguments, caller("bench"))
            seq, read = answer["next_seq"], read + len(answer["events"])

    def select(self) -> None:
        seq = read = 0
        while read < WATCHED:
            rows = self._query(SHOWN, seq)
            seq, read = rows[-1][0], read + len(rows)


def on_sqlite(folder: Path) -> Store:
    app = app_on(Sqlite(str(folder)))
    bare = apsw.Connection(str(folder / "ledger.db"))
    bare.pragma("synchronous", "FULL")

    bare.execute(f"{MADE} WHERE 0")

    def insert(rows: Rows) -> None:
        bare.execute("BEGIN IMMEDIATE")
        marks = ", ".join("?" * (len(rows[0]) + 2))
        bare.executemany(f"INSERT INTO bare_event VALUES ({marks})", [("p", *row, "h") for row in rows])
        bare.execute("COMMIT")

    return Store(app, lambda sql, seq: bare.execute(sql.format("?"), (seq,)).fetchall(), insert)


def on_postgres(url: str) -> Store:
    app = app_on(Postgres(url, "bench"))
    bare = psycopg.connect(url, autocommit=True)
    bare.execute(f"SET search_path TO {SCHEMA}".encode())
    bare.execute(f"{MADE} WHERE false".encode())

    def insert(rows: Rows) -> None:
        with bare.transaction(), bare.cursor() as cursor:
            marks = ", ".join(["%s"] * (len(rows[0]) + 2))
            given = [("p", *row, "h") for row in rows]
            cursor.executemany(f"INSERT INTO bare_event VALUES ({marks})".encode(), given)

    return Store(app, lambda sql, seq: bare.execute(sql.format("%s").encode(), (seq,)).fetchall(), insert)


def compared(store: Store, name: str, rounds: int) -> None:
    cases: dict[str, Callable[[], None]] = {
        "append": store.append,
        "insert": store.insert(),
        "watch": store.watch,
        "select": store.select,
    }
    found = interleaved({case: partial(seconds, work) for case, work in cases.items()}, rounds)
    appended, watched = AT_ONCE / found["append"], WATCHED / found["watch"]
    more = f"{found['append'] / found['insert']:.1f}x"
    report(f"(m) {name}: append {AT_ONCE} events, against bare inserts ({appended:,.0f}/s)", more, "<= 15x")
    more = f"{found['watch'] / found['select']:.1f}x"
    report(f"(m) {name}: watch {WATCHED:,} events, against bare reads ({watched:,.0f}/s)", more, "<= 30x")


def measure(work: Path, rounds: int) -> None:
    compared(on_sqlite(work / "watching"), "SQLite", rounds)
    server = PostgresServer()
    try:
        server.start()
        compared(on_postgres(server.make_database()), "PostgreSQL", rounds)
    finally:
        server.remove()
