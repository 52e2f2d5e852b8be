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


def test_all_work_of_a_run_begins_at_and_goes_to_the_branch_it_started_with(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    first = shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    shop.task("run cat a.txt", "write b.txt b", workflowId=plan, dependsOn=[first])
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    shop.git("checkout", "-q", "-b", "other")
    pipe.write_text("")
    status = ended(shop, run_id)
    assert (status["state"], status["target"]) == ("done", "main")
    assert {"a.txt", "b.txt"} <= set(shop.files("main"))
    assert not {"a.txt", "b.txt"} & set(shop.files("other"))
    assert {session.target for session in sessions(shop)} == {"main"}


def test_a_fan_out_stays_on_its_branch_too(shop: Shop) -> None:
    said = {"prompt_template": "do: write a.txt a", "children_spec": 1, "agent": "hand"}
    run_id = shop.call("plan_fanout", **said)["run_id"]
    shop.git("checkout", "-q", "-b", "other")
    status = ended(shop, run_id)
    assert (status["state"], status["target"]) == ("done", "main")
    assert "a.txt" in shop.files("main")
