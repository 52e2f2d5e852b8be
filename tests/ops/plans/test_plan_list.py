from __future__ import annotations

from tests.ops.plans.planning import resting
from tests.ops.workers.conftest import Shop


def test_runs_are_listed_newest_first_page_by_page(shop: Shop) -> None:
    first = resting(shop)
    second = resting(shop)
    page = shop.call("plan_list", limit=1)
    assert [row["run_id"] for row in page["runs"]] == [second[1]]
    rest = shop.call("plan_list", limit=1, cursor=page["next_cursor"])
    assert [row["run_id"] for row in rest["runs"]] == [first[1]]
    found = shop.call("plan_list", state="paused", workflow_id=first[0])["runs"]
    assert [row["run_id"] for row in found] == [first[1]]
    assert shop.call("plan_list", state="done")["runs"] == []
