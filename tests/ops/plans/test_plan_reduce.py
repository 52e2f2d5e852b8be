from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.plans.test_plan_fanout import fan_out, joined
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("plan:reduce")
def test_objects_that_workers_print_are_merged(shop: Shop) -> None:
    answer = fan_out(shop, 'do: print {"{{child_name}}": {{child_index}}}', {"count": 2, "name_prefix": "w"})
    assert joined(shop, answer["run_id"])["satisfied"] is True
    assert shop.call("plan_reduce", reducer="merge_json", run_id=answer["run_id"])["aggregate"] == {"w-1": 1, "w-2": 2}


@pytest.mark.proves("plan:reduce")
def test_only_those_that_succeeded_count(shop: Shop) -> None:
    lines = [{"prompt_variables": {"line": line}} for line in ("print good", "exit 1")]
    run_id = fan_out(shop, "do: {{line}}", lines)["run_id"]
    joined(shop, run_id)
    found = shop.call("plan_reduce", reducer="concat", run_id=run_id)
    assert found["aggregate"] == "good"
    assert [row["status"] for row in found["trace"]["per_child"]] == ["success", "error"]


def test_custom_picks_one_child_or_is_refused(shop: Shop) -> None:
    session = f"session-{shop.ended('print one')['sessionId']}"
    picked = shop.call("plan_reduce", reducer="custom", children=[session], spec={"pick_child_id": session})
    assert picked["aggregate"] == "one"
    with pytest.raises(Invalid, match="picks one child"):
        shop.call("plan_reduce", reducer="custom", children=[session])
