from __future__ import annotations

import json
import sys

import pytest

from tests.ops.workers.conftest import Shop

DEEDLOG = f"{sys.executable} -m deedlog"


@pytest.mark.proves("worker:report:own")
def test_a_heartbeat_of_a_worker_extends_the_claim_it_works_under(shop: Shop) -> None:
    task = shop.task(f"run {DEEDLOG} task heartbeat --lease-seconds 86400 --json")
    epoch = shop.call("task_next", leaseSeconds=600)["epoch"]
    before = shop.call("task_get", id=task)["leaseUntil"]
    number = shop.run(task, epoch=epoch)["sessionId"]
    shop.wait(number)
    told = json.loads(shop.said(number)[0])
    assert (told["id"], told["epoch"]) == (task, epoch)
    assert told["leaseUntil"] > before


@pytest.mark.proves("worker:report:own")
def test_a_worker_without_a_claim_needs_no_lease(shop: Shop) -> None:
    task = shop.task(f"run {DEEDLOG} task heartbeat --json")
    number = shop.run(task)["sessionId"]
    shop.wait(number)
    assert json.loads(shop.said(number)[0]) == {"id": task, "epoch": 0}


@pytest.mark.proves("worker:report:own")
def test_the_prompt_says_what_a_supervised_worker_can_report(shop: Shop) -> None:
    task = shop.task("print x")
    by_hand = shop.call("worker_command", taskId=task)
    assert "milestone log" not in (shop.repo / by_hand["worktree"] / ".deedlog/prompt.md").read_text()
    shop.call("session_end", sessionId=by_hand["sessionId"], exitCode=1)
    number = shop.run(task)["sessionId"]
    told = (shop.repo / shop.session(number).worktree / ".deedlog/prompt.md").read_text()
    assert f"`deedlog milestone log task-{task} 'Running tests'`" in told
    assert f"`deedlog question ask task-{task} 'Which one?'`" in told
    shop.wait(number)
