from __future__ import annotations

import os
import signal

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.run import Run
from deedlog.core.task import Task
from deedlog.ports import EventQuery
from tests.ops.plans.planning import ended, nodes_of, sessions, states, until, workflow
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("plan:run", "plan:run:merged", "plan:lifecycle:snapshot")
def test_ready_tasks_go_to_workers_and_a_later_one_finds_what_an_earlier_one_did(shop: Shop) -> None:
    plan = workflow(shop)
    first = shop.task("write a.txt one", workflowId=plan)
    second = shop.task("run cat a.txt", "write b.txt two", workflowId=plan, dependsOn=[first])
    begun = shop.call("plan_run", workflow_id=plan, label="small")
    status = ended(shop, begun["run_id"])
    assert (status["state"], status["progress"], status["label"]) == ("done", 100, "small")
    assert (status["supports_pause"], status["supports_resume"], status["failure"]) == (False, False, None)
    assert status["op_id"] == begun["op_id"]
    assert status["mode"] == "plan"
    assert status["started_at"] <= status["finished_at"] <= status["updated_at"]
    assert status["last_event_seq"] == status["last_event"]["seq"]
    assert states(status) == {f"task-{first}": "done", f"task-{second}": "done"}
    assert [session.run_id for session in sessions(shop)] == [begun["run_id"]] * 2
    assert "one" in shop.said(sessions(shop)[1].number)
    assert {"a.txt", "b.txt"} <= set(shop.files())
    assert shop.trees() == []
    assert [row["run_id"] for row in shop.call("plan_list")["runs"]] == [begun["run_id"]]


@pytest.mark.proves("plan:run:retries")
def test_what_fails_is_tried_again_then_what_depends_on_it_is_skipped_and_the_rest_goes_on(shop: Shop) -> None:
    plan = workflow(shop)
    bad = shop.task("write a.txt half", "exit 3", workflowId=plan)
    after = shop.task("write b.txt b", workflowId=plan, dependsOn=[bad])
    beside = shop.task("write c.txt c", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan, retries=1, backoff_ms=1)["run_id"]
    status = ended(shop, run_id)
    assert status["state"] == "failed"
    assert states(status) == {f"task-{bad}": "failed", f"task-{after}": "skipped", f"task-{beside}": "done"}
    [row] = [row for row in status["nodes"] if row["state"] == "failed"]
    assert row["attempts"] == 2
    reviews = shop.call("review_list")["reviews"]
    assert [review["review_id"] for review in reviews] == [row["error"]["review_id"]]
    assert len(shop.trees()) == 1  # of the last attempt, for a person to look at
    shop.call("task_update", id=bad, description="do: write a.txt whole")
    again = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    assert (again["state"], len([s for s in sessions(shop) if s.task_id == _task(shop, beside)])) == ("done", 1)


def _task(shop: Shop, number: int) -> str:
    return shop.app.ledger.get(Task, str(number)).id


@pytest.mark.proves("plan:run:asks")
def test_work_that_conflicts_fails_its_node_and_asks_a_person(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    slow = shop.task(f"wait {pipe}", "write a.txt slow", workflowId=plan)
    fast = shop.task("write a.txt fast", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: shop.status(fast) == "done")
    pipe.write_text("")
    status = ended(shop, run_id)
    assert states(status) == {f"task-{slow}": "failed", f"task-{fast}": "done"}
    assert shop.reviews() == ["conflict"]
    assert "review_list" in status["hint"]


@pytest.mark.proves("plan:run:again")
def test_the_next_run_merges_what_the_one_before_could_not(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    slow = shop.task(f"wait {pipe}", "write a.txt slow", workflowId=plan)
    fast = shop.task("write a.txt fast", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: shop.status(fast) == "done")
    pipe.write_text("")
    assert ended(shop, run_id)["state"] == "failed"
    again = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    assert states(again)[f"task-{slow}"] == "failed"  # at once, for the same reason: it waits for nobody
    session = next(one for one in sessions(shop) if one.task_id == _task(shop, slow))
    shop.git("merge", "--quiet", "--strategy-option=ours", "--no-edit", "main", tree=session.worktree)
    assert ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])["state"] == "done"
    assert len(sessions(shop)) == 2


@pytest.mark.proves("plan:run:others")
def test_done_tasks_are_not_run_again_and_others_work_is_waited_for(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    done = shop.task("write a.txt a", workflowId=plan)
    shop.wait(number := shop.run(done)["sessionId"])
    shop.call("worker_done", sessionId=number)
    theirs = shop.task(f"wait {pipe}", "write b.txt b", workflowId=plan)
    other = shop.run(theirs)["sessionId"]
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    until(shop, lambda: {node.state for node in nodes_of(shop, run_id)} == {"done", "waiting"})
    pipe.write_text("")
    shop.wait(other)
    assert "merge" in next(row for row in shop.call("plan_status", run_id=run_id)["nodes"] if "waits" in row)["waits"]
    shop.call("worker_done", sessionId=other)
    assert ended(shop, run_id)["state"] == "done"
    assert len(sessions(shop)) == 2


@pytest.mark.proves("plan:run:joined")
def test_a_task_that_comes_while_the_run_goes_on_joins_it(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    late = shop.task("write late.txt b", workflowId=plan)
    until(shop, lambda: shop.status(late) == "done")
    pipe.write_text("")
    assert ended(shop, run_id)["state"] == "done"


@pytest.mark.proves("plan:run:graph")
def test_a_free_standing_graph_becomes_a_workflow_with_a_task_a_node(shop: Shop) -> None:
    nodes = [
        {"id": "build", "attributes": {"goal": "do: write build.txt x", "agent": "hand"}},
        {"id": "ship", "label": "Ship it", "attributes": {"goal": "do: write ship.txt x", "agent": "hand"}},
    ]
    shop.call("graph_create", name="Release", graph_id="release", nodes=nodes, edges=[{"from": "ship", "to": "build"}])
    begun = shop.call("plan_run", graph_id="release")
    status = ended(shop, begun["run_id"])
    assert (status["state"], states(status)) == ("done", {"build": "done", "ship": "done"})
    tasks = shop.app.ledger.find(Task, {"workflow_id": begun["workflow_id"]}, limit=10, oldest=True)
    assert [(task.node, task.name) for task in tasks] == [("build", "build"), ("ship", "Ship it")]
    assert tasks[1].depends_on == [tasks[0].id]


@pytest.mark.proves("plan:run:tracked")
def test_a_workflow_has_one_run_at_a_time(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    with pytest.raises(Conflict) as refused:
        shop.call("plan_run", workflow_id=plan)
    assert refused.value.data["code"] == "E-PLAN-ALREADY-TRACKED"
    assert refused.value.data["run_id"] == run_id
    pipe.write_text("")
    ended(shop, run_id)


def test_what_cannot_be_run_is_refused_and_nothing_starts(shop: Shop) -> None:
    with pytest.raises(NotFound):
        shop.call("plan_run", workflow_id="wf-nowhere")
    with pytest.raises(NotFound):
        shop.call("plan_run", graph_id="nowhere")
    with pytest.raises(Invalid):
        shop.call("plan_run")
    with pytest.raises(Conflict, match="has no tasks"):
        shop.call("plan_run", workflow_id=workflow(shop))
    plan = workflow(shop)
    shop.task("write a.txt a", workflowId=plan)
    with pytest.raises(NotFound):
        shop.call("plan_run", workflow_id=plan, agent="nobody")
    assert shop.app.ledger.find(Run, limit=1) == []


@pytest.mark.proves("plan:run:values")
def test_a_task_whose_impacts_the_values_refuse_does_not_start(shop: Shop) -> None:
    shop.call("values_set", values=[{"id": "privacy", "label": "Privacy", "weight": 1, "tolerance": 0.1}])
    plan = workflow(shop)
    task = shop.task("write a.txt a", workflowId=plan)
    stored = shop.call("graph_get", graph_id=plan)
    impacts = '[{"value":"privacy","impact":"risk","severity":1}]'
    shop.call(
        "graph_mutate",
        graph_id=plan,
        operations=[{"op": "set_node_attribute", "id": f"task-{task}", "key": "impacts", "value": impacts}],
        expected_version=stored["version"],
    )
    status = ended(shop, shop.call("plan_run", workflow_id=plan)["run_id"])
    assert status["state"] == "failed"
    assert status["nodes"][0]["error"]["code"] == "E-VALUES-REJECTED"
    assert sessions(shop) == []
    with pytest.raises(Conflict) as refused:
        shop.call("plan_run", workflow_id=plan, impacts=[{"value": "privacy", "impact": "risk"}])
    assert refused.value.data["code"] == "E-VALUES-REJECTED"


def test_a_worker_whose_supervisor_is_killed_is_tried_again(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan, retries=1, backoff_ms=1)["run_id"]
    until(shop, lambda: any(session.leader for session in sessions(shop)))
    os.kill(int(sessions(shop)[0].process.split(" ", 1)[0]), signal.SIGKILL)
    until(shop, lambda: len(sessions(shop)) == 2 and sessions(shop)[1].leader)
    pipe.write_text("")
    status = ended(shop, run_id)
    assert (status["state"], status["nodes"][0]["attempts"]) == ("done", 2)
    assert shop.trees() == []


def test_a_worker_that_says_nothing_for_too_long_is_stopped_and_tried_again(shop: Shop) -> None:
    plan = workflow(shop)
    pipe = shop.pipe()
    task = shop.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan, stall_ms=1_000, retries=1, backoff_ms=1)["run_id"]
    until(shop, lambda: len(sessions(shop)) == 2)
    first = sessions(shop)[0]
    assert (first.status, first.task_id) == ("cancelled", _task(shop, task))
    assert ended(shop, run_id)["state"] == "failed"
    assert [session.error["reason"] for session in sessions(shop)] == ["stopped", "stopped"]


def test_as_many_workers_run_as_the_bounds_allow_where_nobody_said_how_many(shop: Shop) -> None:
    shop.call("agent_autoscale_set", min=3, max=4, cooldown_ms=0)
    plan = workflow(shop)
    for number in range(6):
        shop.task(f"write {number}.txt x", workflowId=plan)
    run_id = shop.call("plan_run", workflow_id=plan)["run_id"]
    assert ended(shop, run_id)["state"] == "done"
    events = shop.app.ledger.events(EventQuery(subject=f"run://{run_id}", kind="run.changed", limit=500))
    counts = [(event.after or {}).get("options", {}).get("workers", 1) for event in events]
    assert 3 <= max(counts) <= 4
