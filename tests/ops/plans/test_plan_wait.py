from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from tests.ops.plans.planning import workflow
from tests.ops.workers.conftest import Shop


def test_it_waits_for_the_last_run_and_tells_what_failed(shop: Shop) -> None:
    with pytest.raises(NotFound):
        shop.call("plan_wait")
    plan = workflow(shop)
    bad = shop.task("exit 3", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    answer = shop.call("plan_wait", timeout_seconds=200)
    assert (answer["run_id"], answer["state"], answer["done"]) == (run_id, "failed", True)
    assert [row["node"] for row in answer["failed"]] == [f"task-{bad}"]
    assert "review_list" in answer["hint"]
