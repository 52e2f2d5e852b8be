from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.run import Node, Run
from deedlog.core.task import Session, Task
from deedlog.work.run_reading import ready_since
from tests.ops.plans.conftest import MODULES
from tests.ops.workers.conftest import WAIT, Shop

Json = dict[str, Any]
LONG = 60_000


def work(name: str, priority: str, line: str = "print x") -> Json:
    said = {"prompt": f"do: {line}", "priority": priority}
    return {"type": "task", "node_id": name, "tool": "hand", "input": said}


@pytest.mark.proves("plan:reactive")
def test_of_what_is_ready_the_most_important_comes_first(shop: Shop) -> None:
    shop.configure(enable=MODULES, max_workers=1)
    shop.open(enable=MODULES)
    children = [work("later", "low"), work("first", "critical"), work("between", "medium")]
    answer = shop.call("plan_run_reactive", tree={"type": "parallel", "children": children}, timeout_ms=5 * LONG)
    assert answer["status"] == "success"
    assert answer["loop_ticks"] >= 1
    assert answer["scheduler_ticks"] == 3
    assert answer["duration_ms"] > 0
    sessions = sorted(shop.app.ledger.find(Session, limit=10), key=lambda session: session.started_at)
    names = [shop.app.ledger.get(Task, session.task_id).node for session in sessions]
    assert names == ["first", "between", "later"]


@pytest.mark.proves("plan:reactive")
def test_it_can_be_paused_and_goes_on(shop: Shop) -> None:
    tree = {"type": "sequence", "children": [work("one", "medium", f"wait {shop.pipe()}"), work("two", "medium")]}
    run_id = shop.call("plan_run_reactive", tree=tree, tick_ms=100, budget_ms=50)["run_id"]
    assert shop.call("plan_pause", run_id=run_id)["state"] == "paused"
    assert shop.call("plan_resume", run_id=run_id)["state"] == "running"
    (shop.repo / ".git/pipe").write_text("go\n")
    assert shop.call("plan_wait", run_id=run_id, timeout_seconds=WAIT)["state"] == "done"
    run = shop.app.ledger.get(Run, run_id)
    assert (run.mode, run.options["tick_ms"]) == ("reactive", 100)


def test_what_waits_is_as_old_as_the_end_of_what_it_waited_for() -> None:
    def node(name: str, **more: Any) -> Node:
        return Node(id=name, run_id="run", name=name, **{"created_at": 10, **more})

    nodes = {"a": node("a", ended_at=50), "b": node("b", ended_at=70), "c": node("c")}
    after = [{"node": name, "on": "over"} for name in ("a", "b", "c", "gone")]
    assert ready_since(node("d", after=after), nodes) == 70
    assert ready_since(node("d", after=after, not_before=90), nodes) == 90
    assert ready_since(node("d"), nodes) == 10
