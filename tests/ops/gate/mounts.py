"""What tests of mounting share: an app on either database, with stubs to mount and a clock one can turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.core.gate.mount import Mount, Passage
from deedlog.gateway.engine import LocalGateway
from deedlog.gateway.places import Places
from deedlog.ports import Silent
from deedlog.store.database import Database
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import Clock, app_on
from tests.engines.gateway.standing_by import until
from tests.ops.gate.guarded import House


class Relisting(Silent):
    """A client that lists its tools anew when they change."""

    def listed(self, seconds: float) -> bool:
        return seconds > 0


class Mounts(House):
    def __init__(self, folder: Path, database: Database, clock: Clock, **settings: Any) -> None:
        self.database, self.clock, self.settings = database, clock, settings
        self.apps: list[App] = []
        super().__init__(folder)

    def another(self, *, serving: bool | None = None) -> App:
        app = app_on(self.database, tree=str(self.folder / "tree"), clock=self.clock, **self.settings)
        places = Places(
            root=str(self.folder / "tree"),
            store=str(self.folder / "store"),
            state=str(self.folder / "tree/.deedlog"),
            user=str(self.folder / "user"),
            home=str(self.folder / "home"),
            environment=self.environment,
        )
        is_serving = serving is not False
        app.engines = app.engines.replace(
            gateway=lambda app: LocalGateway(
                places, app.settings, serving=is_serving, aside=app.aside, report=app.report
            )
        )
        self.apps.append(app)
        return app

    def refused(self, name: str, /, **arguments: Any) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            self.call(name, **arguments)
        return refusal.value

    def status(self, name: str, app: App | None = None) -> str:
        from deedlog.work.mounting import standing

        return str(standing(_context(app or self.app), name).status)

    def mounts(self, **where: object) -> list[Mount]:
        return self.app.ledger.find(Mount, where, limit=100)

    def passages(self, number: int) -> list[Passage]:
        """So many recorded calls, once there are."""
        found: list[Passage] = until(
            lambda: len(rows := self.app.ledger.find(Passage, {}, limit=500, oldest=True)) >= number and rows
        )
        return found

    def close(self) -> None:
        for app in self.apps:
            gateway = app._opened.pop("gateway", None)
            if gateway is not None:
                gateway.close()


def _context(app: App) -> Any:
    """What `work/mounting.py` asks of a call."""
    return app


@pytest.fixture(params=["sqlite", "postgres"])
def mounts(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Mounts]:
    (tmp_path / "store").mkdir()
    if request.param == "sqlite":
        database: Database = Sqlite(str(tmp_path / "store"))
    else:
        database = Postgres(request.getfixturevalue("postgres_url"), "one")
    found = Mounts(tmp_path, database, clock)
    yield found
    found.close()
    database.close()
