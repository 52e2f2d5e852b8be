from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.core.run import Run
from deedlog.core.task import Session
from tests.ops.plans.test_op_cancel import until_at_work
from tests.ops.workers.conftest import WAIT, Shop

Json = dict[str, Any]
LONG = 60_000


def leaf(name: str, tool: str = "noop", **more: Any) -> Json:
    return {"type": "task", "node_id": name, "tool": tool, **more}


def sequence(*children: Json) -> Json:
    return {"type": "sequence", "children": list(children)}


def work(name: str, *lines: str) -> Json:
    return leaf(name, "hand", input="\n".join(f"do: {line}" for line in lines))


def ran(shop: Shop, tree: Json, **variables: object) -> Json:
    """The answer of a tree that has run, however long that takes here."""
    answer: Json = shop.call("plan_run_bt", tree=tree, variables=variables, timeout_ms=LONG)
    if answer["status"] == "running":
        state = shop.call("plan_wait", run_id=answer["run_id"], timeout_seconds=WAIT)["state"]
        answer["status"] = "success" if state == "done" else "failure"
    return answer


def said_in(shop: Shop, answer: Json) -> str:
    """What the workers of a tree said, and its answer as far as it waited for it."""
    said = str(shop.call("plan_reduce", reducer="concat", run_id=answer["run_id"])["aggregate"])
    assert answer.get("last_output") in (said, None)
    return said


def states(shop: Shop, run_id: str) -> dict[str, str]:
    return {row["node"]: row["state"] for row in shop.call("plan_status", run_id=run_id)["nodes"]}


@pytest.mark.proves("plan:bt:run")
def test_a_tree_of_tools_runs_by_itself(shop: Shop) -> None:
    tree = sequence(
        leaf("one", input={"x": 1}), leaf("two", "wait", input={"duration_ms": 5}), leaf("three", input="end")
    )
    answer = shop.call("plan_run_bt", tree={"id": "small", "root": tree}, timeout_ms=LONG, correlation={"job_id": "j"})
    assert answer["status"] == "success", answer
    assert answer["invocations"] == 3
    assert answer["last_output"] == {"value": "end"}
    assert answer["ticks"] >= 1
    assert answer["job_id"] is None
    run = shop.app.ledger.get(Run, answer["run_id"])
    assert (run.mode, run.op_id, run.correlation) == ("bt", answer["op_id"], {"job_id": "j"})


def test_it_returns_at_once_and_goes_on_by_itself(shop: Shop) -> None:
    answer = shop.call("plan_run_bt", tree=sequence(leaf("a"), leaf("b")))
    assert answer["status"] == "running"
    assert answer["op_id"].startswith("op-")
    done = shop.call("plan_wait", run_id=answer["run_id"], timeout_seconds=WAIT)
    assert done["state"] == "done"


@pytest.mark.proves("plan:bt:run")
def test_work_of_agents_becomes_tasks_in_the_order_of_the_tree(shop: Shop) -> None:
    tree = sequence(work("first", "write {{file}} one"), work("second", "append {{file}} two"))
    answer = ran(shop, tree, file="a.txt")
    assert answer["status"] == "success", shop.call("plan_status", run_id=answer["run_id"])
    assert shop.git("show", "main:a.txt") == "one\ntwo"
    assert shop.call("workflow_get", workflow_id=answer["job_id"])["status"] == "completed"
    graph = shop.call("graph_get", graph_id=answer["job_id"])["graph"]
    assert [(edge["from"], edge["to"]) for edge in graph["edges"]] == [("second", "first")]


@pytest.mark.proves("plan:bt:run")
def test_a_selector_goes_on_after_a_failure_and_leaves_the_rest_alone(shop: Shop) -> None:
    tree = {"type": "selector", "children": [work("bad", "exit 3"), work("good", "write g.txt 1"), work("never")]}
    answer = ran(shop, tree)
    assert answer["status"] == "success", shop.call("plan_status", run_id=answer["run_id"])
    found = states(shop, answer["run_id"])
    assert (found["bad"], found["good"], found["never"]) == ("failed", "done", "skipped")
    never = next(row["task_id"] for row in answer["tasks"] if row["node_id"] == "never")
    assert shop.call("task_get", id=never)["status"] == "cancelled", "nobody shall work on it any more"


def test_what_enough_others_did_is_not_waited_for(shop: Shop) -> None:
    pipe = shop.pipe()
    tree = {
        "type": "parallel",
        "policy": "any",
        "children": [work("slow", f"wait {pipe}"), work("quick", "write q.txt 1")],
    }
    answer = ran(shop, tree)
    assert answer["status"] == "success"
    assert states(shop, answer["run_id"])["slow"] == "cancelled"
    assert shop.trees() == []


@pytest.mark.proves("plan:bt:run")
def test_a_task_is_tried_again_as_often_as_retry_says(shop: Shop) -> None:
    counted = "run sh -c 'echo x >> count.txt'"
    retry = {"type": "retry", "max_attempts": 2, "backoff_ms": 1, "child": work("hard", counted, "exit 1")}
    answer = ran(shop, retry)
    assert answer["status"] == "failure"
    (row,) = shop.call("plan_status", run_id=answer["run_id"])["nodes"]
    assert row["attempts"] == 2


@pytest.mark.proves("plan:bt:run")
def test_a_guard_looks_at_the_blackboard_and_the_variables(shop: Shop) -> None:
    def guarded(key: str, expected: object) -> Json:
        return {"type": "guard", "condition_key": key, "expected": expected, "child": leaf("inside")}

    assert ran(shop, guarded("go", True), go=True)["status"] == "success"
    assert ran(shop, guarded("go", True), go=False)["status"] == "failure"
    assert ran(shop, guarded("missing", True))["status"] == "failure"
    note = leaf("note", "bb_set", input={"key": "plan:ready", "value": "yes"})
    assert ran(shop, sequence(note, guarded("plan:ready", "yes")))["status"] == "success"
    assert shop.call("bb_get", key="plan:ready")["entry"]["value"] == "yes"


def test_a_task_may_take_no_longer_than_its_timeout(shop: Shop) -> None:
    tree = {"type": "timeout", "timeout_ms": 1_000, "child": work("slow", "hang")}
    answer = ran(shop, tree)
    assert answer["status"] == "failure"


def test_a_worker_that_changes_nothing_has_answered_all_the_same(shop: Shop) -> None:
    answer = ran(shop, work("ask", "print 42"))
    assert answer["status"] == "success", shop.call("plan_status", run_id=answer["run_id"])
    assert said_in(shop, answer) == "42"


def test_a_dry_run_says_what_would_run_and_starts_nothing(shop: Shop) -> None:
    before = shop.app.ledger.head()
    answer = shop.call("plan_run_bt", tree=sequence(work("a"), leaf("b")), dry_run=True)
    assert shop.app.ledger.head() == before
    assert (answer["run_id"], answer["status"], answer["waves"]) == (None, "success", [["a"], ["b"]])
    assert answer["tasks"][0] == {"node_id": "a", "agent": "hand", "tool": "hand"}


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        (leaf("a", "hamd"), "no tool and no agent 'hamd'"),
        (leaf("a", input_key="k"), "no variable 'k'"),
        (leaf("a", input="{{x}}"), "no variable 'x'"),
        (leaf("a", "wait", input={"ms": 0}), "ms"),
        (leaf("a", "bb_set", input={"value": 1}), "key"),
        (leaf("a", "hand", input={"promt": "x"}), "promt"),
        ({"type": "nothing"}, "no kind of node"),
    ],
)
@pytest.mark.proves("plan:fan-out:unknown-variable")
def test_what_cannot_run_is_refused_before_anything_starts(shop: Shop, tree: Json, told: str) -> None:
    before = shop.app.ledger.head()
    with pytest.raises(Invalid, match=told):
        shop.call("plan_run_bt", tree=sequence(leaf("fine"), tree))
    assert shop.app.ledger.head() == before


def test_variables_never_reach_a_shell(shop: Shop) -> None:
    hostile = "$(touch owned); `touch owned` && touch owned"
    answer = ran(shop, work("say", "print {{x}}"), x=hostile)
    assert said_in(shop, answer) == hostile
    assert "owned" not in shop.files()


def test_a_tree_goes_on_when_its_driver_is_killed(shop: Shop) -> None:
    pipe = shop.pipe()
    tree = sequence(
        work("one", f"wait {pipe}", "write one.txt 1"),
        {"type": "selector", "children": [work("two", "write two.txt 2"), work("three")]},
    )
    run_id = shop.call("plan_run_bt", tree=tree)["run_id"]
    until_at_work(shop, run_id)
    run = shop.app.ledger.get(Run, run_id)
    os.kill(int(run.process.split()[0]), signal.SIGKILL)
    pipe.write_text("go\n")
    assert shop.call("plan_wait", run_id=run_id, timeout_seconds=WAIT)["state"] == "done"
    assert {"one.txt", "two.txt"} <= set(shop.files())
    assert len(shop.app.ledger.find(Session, limit=10)) == 2, "nothing ran twice"
