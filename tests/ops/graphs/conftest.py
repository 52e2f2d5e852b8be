from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.core.graph import Tx
from deedlog.core.task import Task
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import Clock, app_on, caller

Json = dict[str, Any]
MODULES = ["tx", "bulk", "locks", "diff-patch"]


class Desk:
    """Graphs, and who changes them."""

    def __init__(self, app: App) -> None:
        self.app = app

    def call(self, name: str, /, *, actor: str = "tester", **arguments: Any) -> Any:
        return self.app.call(name, arguments, caller(actor))

    def refused(self, name: str, /, **arguments: Any) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            self.call(name, **arguments)
        return refusal.value

    def graph(self, graph_id: str, version: int | None = None) -> Json:
        found: Json = self.call("graph_get", graph_id=graph_id, version=version)["graph"]
        return found

    def version(self, graph_id: str) -> int:
        return int(self.call("graph_get", graph_id=graph_id)["version"])

    def release(self, graph_id: str = "release") -> str:
        """A free-standing graph: package waits for build, build for test, test for lint."""
        self.call("graph_create", name="Release", graph_id=graph_id, preset="lint_test_build_package")
        return graph_id

    def workflow(self, name: str = "Release") -> str:
        return str(self.call("start_workflow", name=name, plan=[])["workflow_id"])

    def task(self, number: int) -> Task:
        return self.app.ledger.get(Task, str(number))

    def named(self, workflow: str, node: str) -> Task:
        found = self.app.ledger.find(Task, {"workflow_id": workflow}, limit=200)
        return next(task for task in found if node in (task.node, task.ref))

    def begin(self, graph_id: str, **more: Any) -> str:
        return str(self.call("tx_begin", graph_id=graph_id, **more)["tx_id"])

    def state(self, tx_id: str) -> str:
        return self.app.ledger.get(Tx, tx_id).state

    def mutate(self, graph_id: str, *operations: Json, **more: Any) -> Json:
        changed: Json = self.call("graph_mutate", graph_id=graph_id, operations=list(operations), **more)
        return changed


def add(node: str, *needed: str, label: str = "", **attributes: Any) -> list[Json]:
    """A node, and what it waits for."""
    new: Json = {"id": node, **({"label": label} if label else {}), "attributes": attributes}
    edges: list[Json] = [{"op": "add_edge", "edge": {"from": node, "to": other}} for other in needed]
    return [{"op": "add_node", "node": new}, *edges]


@pytest.fixture(params=["sqlite", "postgres"])
def app(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[App]:
    if request.param == "sqlite":
        database: Sqlite | Postgres = Sqlite(str(tmp_path / "store"))
    else:
        database = Postgres(request.getfixturevalue("postgres_url"), "one")
    (tmp_path / "tree").mkdir()
    yield app_on(database, tree=str(tmp_path / "tree"), clock=clock, enable=MODULES)
    database.close()


@pytest.fixture
def desk(app: App) -> Desk:
    return Desk(app)
