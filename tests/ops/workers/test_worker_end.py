from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import Shop


@pytest.mark.parametrize(
    ("reason", "status", "dod_result"),
    [("exit", "completed", "pending"), ("timeout", "failed", "timeout"), ("stopped", "cancelled", "pending")],
)
def test_how_a_session_ended_follows_from_what_its_supervisor_tells(
    shop: Shop, reason: str, status: str, dod_result: str
) -> None:
    number = shop.run(shop.task(f"wait {shop.pipe()}"))["sessionId"]
    process = shop.session(number).process
    with pytest.raises(Conflict):
        shop.call("worker_end", sessionId=number, process="1 2 somewhere", exitCode=0)
    ended = shop.call("worker_end", sessionId=number, process=process, exitCode=0, reason=reason)
    assert ended["status"] == status
    assert shop.session(number).dod_result == dod_result
