from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import Shop


def test_only_its_own_supervisor_is_told_what_to_run(shop: Shop) -> None:
    pipe = shop.pipe()
    number = shop.run(shop.task(f"wait {pipe}"), timeoutSeconds=50, budget={"cost": 2})["sessionId"]
    session = shop.session(number)
    told = shop.call("worker_begin", sessionId=number, process=session.process)
    assert told["command"][1:] == [session.command[1], ".deedlog/prompt.md"]
    assert told["tree"] == str(shop.repo / session.worktree)
    assert (told["timeoutSeconds"], told["budget"]) == (50, {"cost": 2})
    with pytest.raises(Conflict):
        shop.call("worker_begin", sessionId=number, process="1 2 somewhere")
    pipe.write_text("go")
    shop.wait(number)
    with pytest.raises(Conflict, match="is completed"):
        shop.call("worker_begin", sessionId=number, process=session.process)
