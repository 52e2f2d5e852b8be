from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.core.errors import Conflict
from tests.ops.children.conftest import Nursery


def test_what_was_delivered_is_recorded_once_and_only_by_its_own_supervisor(repo: Path) -> None:
    nursery = Nursery(repo)
    nursery.agent()
    child = nursery.talk("hang")
    big = nursery.send(child, "x" * 200_000, timeout_ms=0)["message_id"]
    session = nursery.session(child)
    who = {"sessionId": session.number, "process": session.process}
    marks = [{"id": big, "at": 5}]
    with pytest.raises(Conflict):
        nursery.call("worker_delivered", **{**who, "process": "1 2 elsewhere"}, messages=marks)
    assert nursery.call("worker_delivered", **who, messages=marks)["delivered"] == 1
    assert nursery.call("worker_delivered", **who, messages=marks)["delivered"] == 0
    assert nursery.status(child)["messages"]["delivered"] == 1
    nursery.call("worker_delivered", **who, messages=[], inputClosed=True)
    assert nursery.session(child).input_closed
    nursery.call("child_kill", child_id=child)
