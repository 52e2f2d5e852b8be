from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from tests.ops.plans.planning import resting, states
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("plan:lifecycle:refusals")
def test_it_tells_each_node_and_what_a_person_can_do(shop: Shop) -> None:
    _, run_id = resting(shop)
    status = shop.call("plan_status", run_id=run_id)
    assert (status["state"], status["supports_pause"], status["supports_resume"]) == ("paused", False, True)
    assert status["hint"] == f"plan_resume {run_id} goes on with it"
    assert list(states(status)) == ["task-1"]
    with pytest.raises(NotFound):
        shop.call("plan_status", run_id="run-nowhere")
