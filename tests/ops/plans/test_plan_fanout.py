from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.run import Run
from tests.ops.workers.conftest import WAIT, Shop

Json = dict[str, Any]


def fan_out(shop: Shop, template: str, spec: object, **more: object) -> Json:
    answer: Json = shop.call("plan_fanout", prompt_template=template, children_spec=spec, agent="hand", **more)
    return answer


def says(*answers: str) -> list[Json]:
    return [{"name": f"voter-{place}", "prompt_variables": {"say": say}} for place, say in enumerate(answers, 1)]


def joined(shop: Shop, run_id: str, **more: object) -> Json:
    answer: Json = shop.call("plan_join", run_id=run_id, **{"timeout_sec": WAIT, **more})
    return answer


@pytest.mark.proves("plan:fan-out", "plan:fan-out:template", "plan:reduce")
def test_several_workers_answer_and_their_answers_are_combined(shop: Shop) -> None:
    answer = fan_out(shop, "do: print {{say}}", says("yes", "no", "yes"), goal="Decide", parallelism=2)
    assert answer["op_id"].startswith("op-")
    assert [row["prompt_summary"] for row in answer["planned"]] == ["do: print yes", "do: print no", "do: print yes"]
    assert shop.call("workflow_get", workflow_id=answer["job_id"])["name"] == "Decide"
    run = shop.app.ledger.get(Run, answer["run_id"])
    assert (run.mode, run.parallelism) == ("fanout", 2)
    found = joined(shop, answer["run_id"])
    assert found["satisfied"] is True
    assert found["success_count"] == 3
    assert found["winning_child_id"].startswith("session-")
    reduced = shop.call("plan_reduce", reducer="vote", run_id=answer["run_id"])
    assert reduced["aggregate"] == "yes"
    assert reduced["trace"]["details"]["tally"] == {"yes": 2, "no": 1}
    text = shop.call("plan_reduce", reducer="concat", children=answer["child_ids"])["aggregate"]
    assert sorted(text.split()) == ["no", "yes", "yes"]


@pytest.mark.proves("plan:reduce")
def test_objects_that_workers_print_are_merged(shop: Shop) -> None:
    answer = fan_out(shop, 'do: print {"{{child_name}}": {{child_index}}}', {"count": 2, "name_prefix": "w"})
    assert joined(shop, answer["run_id"])["satisfied"] is True
    assert shop.call("plan_reduce", reducer="merge_json", run_id=answer["run_id"])["aggregate"] == {"w-1": 1, "w-2": 2}


@pytest.mark.proves("plan:join:quorum")
def test_a_quorum_is_enough_although_one_failed(shop: Shop) -> None:
    lines = [{"prompt_variables": {"line": line}} for line in ("print a", "exit 2", "print c")]
    run_id = fan_out(shop, "do: {{line}}", lines)["run_id"]
    found = joined(shop, run_id, join_policy="quorum", quorum_count=2)
    assert (found["satisfied"], found["quorum_threshold"]) == (True, 2)
    every = joined(shop, run_id)
    assert every["satisfied"] is False
    assert (every["success_count"], every["failure_count"], every["running_count"]) == (2, 1, 0)
    assert {row["name"]: row["status"] for row in every["results"]} == {
        "child-1": "success",
        "child-2": "error",
        "child-3": "success",
    }
    vote = joined(shop, run_id, consensus={"mode": "majority"})
    assert vote["satisfied"] is True
    assert vote["consensus"]["tally"] == {"success": 2, "error": 1}


@pytest.mark.proves("plan:join:quorum")
def test_the_first_success_does_not_wait_for_the_others(shop: Shop) -> None:
    pipe = shop.pipe()
    lines = [{"prompt_variables": {"line": line}} for line in (f"wait {pipe}", "print done")]
    answer = fan_out(shop, "do: {{line}}", lines)
    found = joined(shop, answer["run_id"], join_policy="first_success")
    assert found["satisfied"] is True
    assert found["results"][-1]["status"] == "running"
    late = joined(shop, answer["run_id"], timeout_sec=0)
    assert late["satisfied"] is False
    assert late["results"][-1]["status"] == "timeout"
    with pytest.raises(Conflict, match="1 of 2 children still run"):
        shop.call("plan_reduce", reducer="concat", run_id=answer["run_id"])


def test_sessions_and_tasks_that_ran_otherwise_are_joined_too(shop: Shop) -> None:
    session = shop.ended("print one")["sessionId"]
    task = shop.task("exit 1")
    shop.wait(shop.run(task)["sessionId"])
    found = shop.call("plan_join", children=[f"session-{session}", f"task-{task}"], timeout_sec=WAIT)
    assert [row["status"] for row in found["results"]] == ["success", "error"]
    assert (
        shop.call(
            "plan_reduce", reducer="custom", children=[str(session)], spec={"pick_child_id": f"session-{session}"}
        )["aggregate"]
        == "one"
    )


@pytest.mark.proves("plan:fan-out")
def test_what_fails_is_tried_again(shop: Shop) -> None:
    answer = fan_out(shop, "do: exit 1", 1, retry={"max_attempts": 2, "delay_ms": 1})
    assert joined(shop, answer["run_id"])["satisfied"] is False
    (row,) = shop.call("plan_status", run_id=answer["run_id"])["nodes"]
    assert row["attempts"] == 2


def test_what_is_not_merged_waits_for_people_and_has_succeeded(shop: Shop) -> None:
    run_id = fan_out(shop, "do: write a.txt {{child_index}}", 2, merge=False)["run_id"]
    assert joined(shop, run_id)["success_count"] == 2
    assert "a.txt" not in shop.files()


def test_what_is_wrong_is_refused_before_anything_starts(shop: Shop) -> None:
    before = shop.app.ledger.head()
    with pytest.raises(Invalid, match="no variable 'x'"):
        fan_out(shop, "{{x}}", 2)
    with pytest.raises(Invalid, match="no tool and no agent 'nobody'"):
        shop.call("plan_fanout", prompt_template="x", children_spec=1, agent="nobody")
    with pytest.raises(Invalid):
        fan_out(shop, "x", 1, parallelism=17)
    assert shop.app.ledger.head() == before


def test_a_join_needs_children_that_are_there(shop: Shop) -> None:
    with pytest.raises(Invalid, match="name children"):
        shop.call("plan_join")
    with pytest.raises(NotFound):
        shop.call("plan_join", run_id="run-1")
    for name in ("session-99", "task-99", "somebody"):
        with pytest.raises(NotFound):
            shop.call("plan_join", children=[name])
    number = shop.ended("print x")["sessionId"]
    with pytest.raises(Invalid, match="can never succeed"):
        shop.call("plan_join", children=[str(number)], join_policy="quorum", quorum_count=2)
    with pytest.raises(Invalid, match="named twice"):
        shop.call("plan_join", children=[str(number), str(number)])
    with pytest.raises(Invalid, match="consensus"):
        shop.call("plan_join", children=[str(number)], consensus={"mode": "loudest"})
