"""Many who change what belongs together at the same time: everybody gets a turn."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.store.postgres import Postgres
from deedlog.testing import app_in, app_on
from tests.ops.tasks.conftest import Board

AT_ONCE, EACH = 24, 4


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Board]:
    if request.param == "sqlite":
        app = app_in(str(tmp_path / "store"))
    else:
        app = app_on(Postgres(request.getfixturevalue("postgres_url"), "p"))
    yield Board(app)
    app.close()


def test_nobody_is_turned_away_because_others_were_faster(shared: Board) -> None:
    first = shared.create("first")

    def create(_: int) -> list[int]:
        return [shared.create("next", dependsOn=[first]) for _ in range(EACH)]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = [number for numbers in pool.map(create, range(AT_ONCE)) for number in numbers]
    assert len(set(made)) == AT_ONCE * EACH
    assert len(shared.task(first).blocks) == AT_ONCE * EACH
