from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.blackboard import NEVER, Entry, namespace_of
from deedlog.core.entry import Op
from deedlog.core.graph import Graph, Tx
from deedlog.core.output import Output
from deedlog.core.run import Node, Run
from deedlog.core.task import Session
from deedlog.core.value import Entity
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import START, Clock, app_on, caller
from tests.engines.tracked import a_session

Json = dict[str, Any]
EMPTY: Json = {"name": "", "nodes": [], "edges": [], "metadata": {}}


class Shelf:
    """A store into which things of every kind that has resources are put as they are."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._numbers = count(1)

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.app.call(name, arguments, caller())

    def put(self, *values: Entity) -> None:
        number = next(self._numbers)
        op = Op(op_id=f"op-{number}", operation="test", effect="write", actor="tester", at=START + number * 1_000)
        self.app.ledger.write(op, values)

    def graph(self, graph_id: str, versions: int = 1, **fields: Any) -> None:
        self.put(Graph(id=graph_id, name=graph_id, created_at=1, **fields))
        for version in range(2, versions + 1):
            self.put(self.app.ledger.get(Graph, graph_id).replace(name=f"{graph_id} {version}"))

    def tx(self, tx_id: str, graph_id: str, **fields: Any) -> None:
        self.put(
            Tx(id=tx_id, graph_id=graph_id, base_version=1, base_graph=EMPTY, graph=EMPTY, created_at=START, **fields)
        )

    def run(self, run_id: str = "run_123", **fields: Any) -> Run:
        run = Run(id=run_id, workflow_id="wf-1", created_at=1, **fields)
        self.put(run)
        return run

    def node(self, name: str, run_id: str = "run_123", **fields: Any) -> None:
        self.put(Node(id=f"{run_id}:{name}", run_id=run_id, workflow_id="wf-1", name=name, created_at=1, **fields))

    def child(self, number: int, **fields: Any) -> Session:
        session = a_session(number).replace(**{"host": "here", **fields})
        self.put(session)
        return session

    def printed(self, session: Session, first: int, *texts: str, missed: int = 0) -> None:
        lines = [{"at": START, "stream": "stdout", "text": text} for text in texts]
        lines[0] |= {"missed": missed} if missed else {}
        output_id = f"out-{session.number}-{first}"
        self.put(Output(id=output_id, session_id=session.id, task_id=session.task_id, first=first, lines=lines))

    def entry(self, key: str, value: Any = 1, expires_at: int = NEVER) -> None:
        held = {"value": value, "tags": ["t"], "created_at": START, "updated_at": START, "expires_at": expires_at}
        self.put(Entry(id=key, namespace=namespace_of(key), expires_at=expires_at, held=held))

    def uris(self, **arguments: Any) -> list[str]:
        return [item["uri"] for item in self.call("resources_list", **arguments)["items"]]

    def all_uris(self, **arguments: Any) -> list[str]:
        found: list[str] = []
        page: Json = {"next_cursor": None}
        while "next_cursor" in page:
            page = self.call("resources_list", cursor=page["next_cursor"], **arguments)
            found += [item["uri"] for item in page["items"]]
        return found


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sqlite | Postgres]:
    if request.param == "sqlite":
        made: Sqlite | Postgres = Sqlite(str(tmp_path / "store"))
    else:
        made = Postgres(request.getfixturevalue("postgres_url"), "one")
    yield made
    made.close()


@pytest.fixture
def shelf(database: Sqlite | Postgres, clock: Clock) -> Shelf:
    return Shelf(app_on(database, clock=clock, enable=["events-bus"]))


@pytest.fixture
def full_shelf(shelf: Shelf) -> Shelf:
    """Ids that are beginnings of each other, and numbers of several lengths."""
    for graph_id, versions in {"a": 12, "a-b": 2, "a.c": 1, "a0": 1, "ab": 1, "B": 1}.items():
        shelf.graph(graph_id, versions)
    shelf.call("start_workflow", name="a goal")
    for place, graph_id in enumerate(["a", "a-b", "a.c", "ab", "a"]):
        shelf.tx(f"tx-{place}", graph_id)
    for run_id in ("run_123", "run_1", "run-1j9x", "run_1-b"):
        shelf.run(run_id)
    for number in (1, 2, 9, 10, 11, 100, 20):
        shelf.child(number)
    shelf.child(5, host="")
    for key in ("ns:one", "ns:two", "other/x", "plain"):
        shelf.entry(key)
    return shelf
