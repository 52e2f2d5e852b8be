from __future__ import annotations

import os
import signal

import pytest

from deedlog.core.run import Run
from tests.ops.plans.planning import ended, sessions, until, workflow
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("plan:durable:slept")
def test_a_driver_that_slept_while_another_took_over_does_no_harm(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    first = shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    shop.task("write b.txt b", workflowId=plan, dependsOn=[first])
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: any(session.leader for session in sessions(shop)))
    asleep = shop.app.ledger.get(Run, run_id).process
    pid = int(asleep.split(" ", 1)[0])
    os.kill(pid, signal.SIGSTOP)
    shop.call("plan_resume", run_id=run_id, force=True)
    pipe.write_text("")
    assert ended(shop, run_id)["state"] == "done"
    os.kill(pid, signal.SIGCONT)
    until(shop, lambda: shop.app.workers.is_dead(asleep))
    assert len(sessions(shop)) == 2
    assert {"a.txt", "b.txt"} <= set(shop.files())
