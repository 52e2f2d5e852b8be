from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.core.errors import Conflict
from tests.ops.children.conftest import Nursery


def test_a_supervisor_is_told_messages_in_order_limits_and_that_it_shall_end(repo: Path) -> None:
    nursery = Nursery(repo)
    nursery.agent()
    child = nursery.talk("hang", limits={"messages": 300})
    for number in range(150):
        nursery.send(child, f"{number}", timeout_ms=0)
    session = nursery.session(child)
    who = {"sessionId": session.number, "process": session.process}
    first = nursery.call("worker_inbox", **who)
    assert [one["text"] for one in first["messages"]] == [f"{number}\n" for number in range(100)]
    assert (first["more"], first["stop"], first["limits"]) == (True, {}, {"messages": 300})
    last = first["messages"][-1]
    rest = nursery.call("worker_inbox", **who, after=last["createdAt"], afterId=last["id"])
    assert [one["text"] for one in rest["messages"]] == [f"{number}\n" for number in range(100, 150)]
    assert not rest["more"]
    with pytest.raises(Conflict):
        nursery.call("worker_inbox", **{**who, "process": "1 2 elsewhere"})
    nursery.call("child_kill", child_id=child)
    with pytest.raises(Conflict, match="is cancelled"):
        nursery.call("worker_inbox", **who)
