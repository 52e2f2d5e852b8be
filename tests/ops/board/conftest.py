from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import Clock, app_on, caller

MODULES = ["blackboard", "stigmergy", "cnp", "consensus", "autoscaler", "bulk"]
Call = Callable[..., Any]


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
def call(app: App) -> Call:
    return lambda name, /, **arguments: app.call(name, arguments, caller())


def strengths(call: Call) -> dict[str, float]:
    """Every call is a microsecond later than the one before it."""
    return {total["node_id"]: round(total["intensity"], 3) for total in call("stig_snapshot")["totals"]}
