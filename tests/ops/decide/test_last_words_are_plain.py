from __future__ import annotations

from tests.ops.decide.conftest import waits
from tests.ops.workers.conftest import Shop


def test_a_question_about_a_failed_worker_has_no_colours_and_no_reports_in_it(shop: Shop) -> None:
    coloured = b"\x1b[36mWrite\x1b[0m failed\n".hex()
    shop.ended(f"raw {coloured}", "usage 10 20 0.5", "exit 3")
    (item,) = waits(shop.app)
    assert "It said last: Write failed. " in item["question"]
