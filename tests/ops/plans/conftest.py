from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import DeedlogError
from deedlog.core.run import Run
from deedlog.core.task import Session
from deedlog.testing import Clock, app_in
from tests.ops.workers.conftest import Shop

MODULES = sorted(CAPABILITIES)


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> App:
    """Everything is switched on; workers cannot be started in it, because its folder has no git."""
    (tmp_path / "tree").mkdir()
    return app_in(str(tmp_path / "store"), tree=str(tmp_path / "tree"), clock=clock, enable=MODULES)


@pytest.fixture
def shop(repo: Path) -> Iterator[Shop]:
    """A project with real workers, everything switched on, for supervisors and drivers too."""
    shop = Shop(repo)
    shop.configure(enable=MODULES, max_workers=4)
    shop.open(enable=MODULES)
    shop.agent()
    yield shop
    for run in shop.app.ledger.find(Run, limit=100):
        if run.finished_at is None:
            _tried(shop, "plan_cancel", run_id=run.id)
    for status in ("queued", "running"):
        for session in shop.app.ledger.find(Session, {"status": status}, limit=100):
            _tried(shop, "worker_stop", sessionId=session.number)


def _tried(shop: Shop, name: str, **arguments: object) -> None:
    """What ended by itself meanwhile is no fault of a test."""
    try:
        shop.call(name, **arguments)
    except DeedlogError:
        return
