from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid
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
    with pytest.raises(Invalid, match="a tool is no agent"):
        shop.call("plan_fanout", prompt_template="x", children_spec=1, agent="noop")
    with pytest.raises(Invalid):
        fan_out(shop, "x", 1, parallelism=17)
    assert shop.app.ledger.head() == before


def test_a_call_that_is_repeated_under_its_key_starts_nothing_more(shop: Shop) -> None:
    said = {"prompt_template": "do: print x", "children_spec": 1, "agent": "hand", "idempotency_key": "once"}
    first, again = shop.call("plan_fanout", **said), shop.call("plan_fanout", **said)
    assert (first["idempotent"], again["idempotent"]) == (False, True)
    assert again["run_id"] == first["run_id"]
    assert len(shop.app.ledger.find(Run, limit=10)) == 1


def test_the_ids_of_a_fan_out_are_taken_by_all_that_ask_for_children(shop: Shop) -> None:
    pipe = shop.pipe()
    answer = fan_out(shop, "do: {{say}}", says(f"wait {pipe}", "print later"), parallelism=1)
    first, second = answer["child_ids"]
    waiting = joined(shop, answer["run_id"], timeout_sec=0)["results"]
    assert second in [row["child_id"] for row in waiting], "nobody works on it yet"
    with pytest.raises(Conflict, match="nobody has worked"):
        shop.call("child_status", child_id=second)
    pipe.write_text("")
    assert joined(shop, answer["run_id"])["success_count"] == 2
    session = shop.call("child_status", child_id=second)["child_id"]
    assert session.startswith("session-")
    for name in (second, session, "voter-2"):
        spec = {"pick_child_id": name}
        picked = shop.call("plan_reduce", reducer="custom", run_id=answer["run_id"], spec=spec)
        assert picked["aggregate"] == "later"
    assert shop.call("child_collect", child_id=first)["child_id"] != session
