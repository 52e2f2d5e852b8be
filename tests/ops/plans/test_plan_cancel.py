from __future__ import annotations

import pytest

from tests.ops.plans.planning import sessions, states, until, workflow
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("cancellation:plan-cancel")
def test_a_cancelled_run_leaves_nothing_behind(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    first = shop.task("write a.txt a", f"wait {pipe}", workflowId=plan)
    shop.task("write b.txt b", workflowId=plan, dependsOn=[first])
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: any(session.leader for session in sessions(shop)))
    answer = shop.call("plan_cancel", run_id=run_id, reason="another plan")
    assert (answer["run_id"], answer["reason"]) == (run_id, "another plan")
    assert [row["child_id"] for row in answer["operations"]] == ["session-1"]
    status = shop.call("plan_status", run_id=run_id)
    assert status["state"] == "cancelled"
    assert status["finished_at"]
    assert set(states(status).values()) == {"cancelled"}
    assert [session.status for session in sessions(shop)] == ["cancelled"]
    assert (shop.trees(), shop.branches()) == ([], ["main"])
    assert shop.call("plan_cancel", run_id=run_id)["lifecycle"]["state"] == "cancelled"
    shop.call("worker_restore", sessionId=1)
    assert shop.trees() == [f"task-{first}"]
