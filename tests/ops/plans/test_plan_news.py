from __future__ import annotations

from tests.ops.plans.planning import resting
from tests.ops.workers.conftest import Shop


def test_what_its_driver_decided_is_no_news_but_what_others_did_is(shop: Shop) -> None:
    plan, run_id = resting(shop)
    head = shop.app.ledger.head()
    assert shop.call("plan_news", run_id=run_id, after=0, seconds=60)["seq"] > 0
    shop.task("write b.txt b", workflowId=plan)
    assert shop.call("plan_news", run_id=run_id, after=head, seconds=60)["seq"] > head
    assert shop.call("plan_news", run_id=run_id, after=shop.app.ledger.head(), seconds=0)["seq"] >= head
