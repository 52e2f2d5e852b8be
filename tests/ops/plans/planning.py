"""What tests of runs need: workflows, and waiting for what comes of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from deedlog.core.run import Node
from deedlog.core.task import Session
from tests.ops.workers.conftest import Shop

WAIT = 200
Json = dict[str, Any]


def workflow(shop: Shop, name: str = "a plan") -> str:
    return str(shop.call("start_workflow", name=name, description="to be run")["workflow_id"])


def ended(shop: Shop, run_id: str) -> Json:
    shop.call("plan_wait", run_id=run_id, timeout_seconds=WAIT)
    status: Json = shop.call("plan_status", run_id=run_id)
    return status


def states(status: Json) -> dict[str, str]:
    return {row["node"]: row["state"] for row in status["nodes"]}


def sessions(shop: Shop) -> list[Session]:
    return shop.app.ledger.find(Session, limit=100, oldest=True)


def nodes_of(shop: Shop, run_id: str) -> list[Node]:
    return shop.app.ledger.find(Node, {"run_id": run_id}, limit=100)


def until(shop: Shop, is_so: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT
    while not is_so():
        assert time.monotonic() < end
        shop.app.settle()
        time.sleep(0.02)


def resting(shop: Shop, *lines: str, **task: Any) -> tuple[str, str]:
    """A workflow with a task, and a paused run of it whose driver has ended."""
    plan = workflow(shop)
    shop.task(*(lines or ("write a.txt a",)), workflowId=plan, **task)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    shop.call("plan_pause", run_id=run_id)
    return plan, run_id
