"""Whenever a fan-out or a tree is cancelled by the op that began it, nothing of it is left."""

from __future__ import annotations

import random
from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.run import Run
from deedlog.core.task import Session, Task
from deedlog.ports import EventQuery
from tests.ops.workers.conftest import WAIT, Shop, still_there

Json = dict[str, Any]


def begun(shop: Shop, chance: random.Random) -> Json:
    """A fan-out or a tree of four workers."""
    lines = ["do: write {{name}}.txt x", "do: print {{name}}"]
    if chance.random() < 0.5:
        children = [{"name": name, "prompt_variables": {"name": name}} for name in "abcd"]
        return dict(
            shop.call(
                "plan_fanout", prompt_template="\n".join(lines), children_spec=children, agent="hand", parallelism=2
            )
        )
    leaves = [
        {"type": "task", "node_id": name, "tool": "hand", "input": "\n".join(lines).replace("{{name}}", name)}
        for name in "abcd"
    ]
    halves = [{"type": "sequence", "children": leaves[:2]}, {"type": "selector", "children": leaves[2:]}]
    return dict(shop.call("plan_run_bt", tree={"type": "parallel", "children": halves}))


def until(shop: Shop, run_id: str, events: int) -> None:
    """Wait until so much happened in a run, or it is over."""
    watch = shop.app.ledger.watch()
    try:
        for _ in range(WAIT * 2):
            found = shop.app.ledger.events(EventQuery(subject=f"run://{run_id}", limit=events))
            if len(found) >= events or shop.app.ledger.get(Run, run_id).finished_at:
                return
            watch.wait(0.5)
    finally:
        watch.close()
    raise AssertionError("nothing happens")


@pytest.mark.proves("cancellation:any-moment")
@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_left_whenever_it_is_cancelled(shop: Shop, seed: int) -> None:
    chance = random.Random(seed)
    started = begun(shop, chance)
    until(shop, started["run_id"], chance.randint(1, 40))
    try:
        assert shop.call("op_cancel", op_id=started["op_id"])["outcome"] == "requested"
    except Conflict:
        assert shop.app.ledger.get(Run, started["run_id"]).state == "done"
    shop.call("plan_wait", run_id=started["run_id"], timeout_seconds=WAIT)
    sessions = shop.app.ledger.find(Session, limit=50)
    assert [session.ref for session in sessions if session.status in ("running", "queued")] == []
    assert [number for session in sessions for number in still_there(session)] == []
    assert [path.name for path in (shop.repo / ".deedlog/worktrees").glob("task-*")] == []
    assert {task.status for task in shop.app.ledger.find(Task, limit=50)} <= {"done", "cancelled"}
    assert shop.git("status", "--porcelain", "--", ":!.deedlog") == ""
