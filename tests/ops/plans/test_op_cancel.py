from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.entry import Op
from deedlog.core.errors import Conflict, DeedlogError, NotFound
from deedlog.core.graph import Tx
from deedlog.core.run import Run
from deedlog.core.task import Session
from deedlog.faces.mcp.refusal import refused
from deedlog.ports import EventQuery
from tests.conftest import Call
from tests.ops.workers.conftest import WAIT, Shop, still_there

Json = dict[str, Any]


def op_of(shop: Shop, operation: str) -> Op:
    """The last op of an operation."""
    events = shop.app.ledger.events(EventQuery(operation=operation, limit=1_000))
    return shop.app.ledger.op(events[-1].op_id)


def until_at_work(shop: Shop, run_id: str) -> Session:
    """The first session of a run, as soon as its worker runs."""
    watch = shop.app.ledger.watch()
    try:
        for _ in range(WAIT * 2):
            found = [session for session in shop.app.ledger.find(Session, limit=50) if session.run_id == run_id]
            if any(session.leader for session in found):
                return next(session for session in found if session.leader)
            watch.wait(0.5)
    finally:
        watch.close()
    raise AssertionError("no worker started")


@pytest.mark.proves("cancellation:op-cancel", "cancellation:long-operations")
def test_a_fan_out_is_cancelled_with_its_run_its_workers_and_their_trees(shop: Shop) -> None:
    begun = shop.call("plan_fanout", prompt_template="do: hang", children_spec=3, agent="hand", parallelism=1)
    session = until_at_work(shop, begun["run_id"])
    answer = shop.call("op_cancel", op_id=begun["op_id"], reason="wrong plan")
    assert answer["ok"] is True
    assert answer["outcome"] == "requested"
    assert (answer["run_id"], answer["job_id"]) == (begun["run_id"], begun["job_id"])
    assert answer["child_ids"] == [session.ref]
    assert answer["lifecycle"]["state"] == "cancelled"
    assert 0 <= answer["progress"] <= 100
    shop.call("plan_wait", run_id=begun["run_id"], timeout_seconds=WAIT)
    run = shop.app.ledger.get(Run, begun["run_id"])
    assert (run.state, run.reason) == ("cancelled", "wrong plan")
    assert still_there(shop.session(session.number)) == []
    assert shop.trees() == []
    assert {shop.status(int(ref.split("-")[1])) for ref in begun["child_ids"]} == {"cancelled"}


@pytest.mark.proves("cancellation:op-cancel")
def test_to_cancel_again_says_that_it_was_cancelled_already(shop: Shop) -> None:
    begun = shop.call("plan_run_bt", tree={"type": "task", "node_id": "a", "tool": "wait", "input": {"ms": 600_000}})
    assert shop.call("op_cancel", op_id=begun["op_id"])["outcome"] == "requested"
    before = shop.app.ledger.head()
    again = shop.call("op_cancel", op_id=begun["op_id"])
    assert again["outcome"] == "already_cancelled"
    assert again["lifecycle"]["state"] == "cancelled"
    assert shop.app.ledger.head() == before


def test_the_op_of_a_plan_run_cancels_it(shop: Shop) -> None:
    wf = shop.call("start_workflow", name="w")["workflow_id"]
    shop.task("hang", workflowId=wf)
    begun = shop.call("plan_run", workflow_id=wf)
    session = until_at_work(shop, begun["run_id"])
    assert shop.call("op_cancel", op_id=begun["op_id"])["run_id"] == begun["run_id"]
    shop.call("plan_wait", run_id=begun["run_id"], timeout_seconds=WAIT)
    assert still_there(shop.session(session.number)) == []
    assert shop.trees() == []


@pytest.mark.proves("cancellation:long-operations")
def test_workers_are_cancelled_by_the_op_that_ran_them(shop: Shop) -> None:
    numbers = [attempt["sessionId"] for attempt in shop.run(shop.task("hang"), attempts=2)["attempts"]]
    answer = shop.call("op_cancel", op_id=op_of(shop, "worker_run").op_id, reason="enough")
    assert answer["outcome"] == "requested"
    assert sorted(answer["child_ids"]) == sorted(f"session-{number}" for number in numbers)
    assert "still_running" not in answer
    for number in numbers:
        session = shop.session(number)
        assert still_there(session) == []
        assert session.error["message"] == "enough"
    assert shop.trees() == []
    assert shop.call("op_cancel", op_id=op_of(shop, "worker_run").op_id)["outcome"] == "already_cancelled"


@pytest.mark.proves("cancellation:long-operations")
def test_a_transaction_is_rolled_back_by_the_op_that_began_it(shop: Shop) -> None:
    shop.call("graph_create", name="G", graph_id="g", nodes=[{"id": "a"}], edges=[])
    begun = shop.call("tx_begin", graph_id="g")
    answer = shop.call("op_cancel", op_id=begun["op_id"])
    assert (answer["outcome"], answer["tx_id"], answer["graph_id"]) == ("requested", begun["tx_id"], "g")
    assert (answer["progress"], answer["lifecycle"]) == (None, None)
    assert shop.app.ledger.get(Tx, begun["tx_id"]).state == "rolled_back"
    assert shop.call("op_cancel", op_id=begun["op_id"])["outcome"] == "already_cancelled"


@pytest.mark.proves("cancellation:unknown")
def test_what_ended_or_never_ran_is_left_as_it_is(shop: Shop) -> None:
    with pytest.raises(NotFound):
        shop.call("op_cancel", op_id="op-nothing")
    shop.call("start_workflow", name="w")
    with pytest.raises(Conflict, match="start_workflow started nothing that goes on") as error:
        shop.call("op_cancel", op_id=op_of(shop, "start_workflow").op_id)
    assert error.value.data["code"] == "E-CANCEL-OP"
    done = shop.call("plan_run_bt", tree={"type": "task", "node_id": "a", "tool": "noop"})
    shop.call("plan_wait", run_id=done["run_id"], timeout_seconds=WAIT)
    with pytest.raises(Conflict, match="what plan_run_bt began has ended"):
        shop.call("op_cancel", op_id=done["op_id"])
    assert shop.app.ledger.get(Run, done["run_id"]).state == "done"


def test_somebody_who_works_by_hand_is_not_stopped(shop: Shop) -> None:
    wf = shop.call("start_workflow", name="w")["workflow_id"]
    shop.call("start_task", workflow_id=wf, name="by hand", goal="x", areas=[])
    with pytest.raises(Conflict, match="started nothing"):
        shop.call("op_cancel", op_id=op_of(shop, "start_task").op_id)


@pytest.mark.proves("cancellation:unknown")
@pytest.mark.parametrize(
    ("capability", "operation", "arguments", "code"),
    [
        ("cancellation", "op_cancel", {"op_id": "op-nothing"}, "E-CANCEL-NOTFOUND"),
        ("cancellation", "op_cancel", {}, "E-CANCEL-INVALID-INPUT"),
        ("cancellation", "op_cancel", {"op_id": ""}, "E-CANCEL-INVALID-INPUT"),
        ("cancellation", "plan_cancel", {"run_id": "run-nothing"}, "E-CANCEL-NOTFOUND"),
        ("plan-lifecycle", "plan_status", {"run_id": "run-nothing"}, "E-PLAN-NOT-FOUND"),
    ],
)
def test_refusals_have_the_codes_of_their_module(
    call: Call, capability: str, operation: str, arguments: Json, code: str
) -> None:
    with pytest.raises(DeedlogError) as error:
        call(operation, **arguments)
    body = json.loads(refused(capability, error.value)["content"][0]["text"])
    assert body["ok"] is False
    assert body["code"] == code
    assert body["message"]


@pytest.mark.proves("cancellation:long-operations")
def test_a_child_is_cancelled_by_the_op_that_spawned_it(shop: Shop) -> None:
    spawned = shop.call("child_spawn", prompt="do: hang", agent="hand")
    answer = shop.call("op_cancel", op_id=spawned["op_id"])
    assert answer["child_ids"] == [spawned["child_id"]]
    session = shop.app.ledger.get(Session, spawned["child_id"].partition("-")[2])
    assert session.status not in ("running", "queued")
    assert still_there(session) == []
    assert shop.trees() == []
