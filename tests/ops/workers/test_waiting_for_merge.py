from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("task:done:untracked")
def test_a_task_with_work_to_be_merged_is_not_done_by_hand(shop: Shop) -> None:
    row = shop.ended("write a.txt hello")
    with pytest.raises(Conflict) as refusal:
        shop.call("task_done", id=row["taskId"])
    assert refusal.value.data == {"task_id": row["taskId"], "session_id": row["sessionId"]}
    assert "worker_done" in refusal.value.hint
    shop.call("worker_done", sessionId=row["sessionId"], how="discard", force=True)
    assert shop.call("task_done", id=row["taskId"])["status"] == "done"
