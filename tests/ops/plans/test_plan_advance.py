from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.run import Run
from tests.ops.plans.planning import resting
from tests.ops.workers.conftest import Shop


def test_only_the_driver_of_a_run_is_told_what_comes_next(shop: Shop) -> None:
    _, run_id = resting(shop)
    process = shop.app.ledger.get(Run, run_id).process
    answer = shop.call("plan_advance", run_id=run_id, process=process)
    assert (answer["state"], answer["over"], answer["actions"]) == ("paused", True, [])
    with pytest.raises(Conflict):
        shop.call("plan_advance", run_id=run_id, process="1 2 elsewhere")
    with pytest.raises(NotFound):
        shop.call("plan_advance", run_id="run-nowhere", process=process)
