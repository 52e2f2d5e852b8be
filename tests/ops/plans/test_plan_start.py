from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.run import Run
from tests.ops.plans.planning import ended, sessions, until, workflow
from tests.ops.workers.conftest import Shop


def test_nothing_starts_in_a_run_that_does_not_run_or_by_another_driver(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    task = shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: sessions(shop))
    said = {"run_id": run_id, "node": f"task-{task}", "attempt": 1}
    process = shop.app.ledger.get(Run, run_id).process
    with pytest.raises(Conflict):
        shop.call("plan_start", **said, process="1 2 elsewhere")
    again = shop.call("plan_start", **said, process=process)
    assert again["sessionId"] == sessions(shop)[0].number
    shop.call("plan_pause", run_id=run_id)
    with pytest.raises(Conflict):
        shop.call("plan_start", **said, process=process)
    assert len(sessions(shop)) == 1
    shop.call("plan_resume", run_id=run_id)
    pipe.write_text("")
    assert ended(shop, run_id)["state"] == "done"
