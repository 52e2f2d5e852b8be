from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.run import Run
from tests.ops.plans.planning import ended, sessions, until, workflow
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("plan:lifecycle", "plan:lifecycle:refusals")
def test_a_paused_run_starts_and_merges_nothing_until_it_is_resumed(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    first = shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    shop.task("write b.txt b", workflowId=plan, dependsOn=[first])
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: any(session.leader for session in sessions(shop)))
    paused = shop.call("plan_pause", run_id=run_id)
    assert (paused["state"], paused["supports_resume"]) == ("paused", True)
    assert shop.call("plan_pause", run_id=run_id)["paused_at"] == paused["paused_at"]
    until(shop, lambda: shop.app.workers.is_dead(shop.app.ledger.get(Run, run_id).process))
    pipe.write_text("")
    shop.wait(sessions(shop)[0].number)
    assert shop.call("plan_wait", run_id=run_id)["state"] == "paused"
    assert shop.status(first) == "in_progress"
    resumed = shop.call("plan_resume", run_id=run_id)
    assert (resumed["state"], resumed["paused_at"]) == ("running", None)
    assert ended(shop, run_id)["state"] == "done"
    for name in ("plan_pause", "plan_resume"):
        with pytest.raises(Conflict) as refused:
            shop.call(name, run_id=run_id)
        assert refused.value.data["code"] == "E-PLAN-COMPLETED"
    for name in ("plan_status", "plan_pause", "plan_resume", "plan_cancel"):
        with pytest.raises(NotFound):
            shop.call(name, run_id="run-nowhere")
