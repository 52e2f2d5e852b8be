from __future__ import annotations

import json

import pytest

from deedlog.core.errors import NotFound
from deedlog.faces.mcp.refusal import refused
from tests.ops.children.conftest import Nursery


def test_a_child_is_told_from_its_start_to_its_end(nursery: Nursery) -> None:
    child = nursery.talk(role="helper")
    nursery.until_printed(child, "listening")
    status = nursery.status(child)
    assert (status["runtime_status"], status["role"]) == ("running", "helper")
    assert status["state"] in ("running", "idle")
    assert status["index_snapshot"]["pid"] == nursery.session(child).leader
    assert status["last_line"] == "listening"
    nursery.until(lambda: nursery.status(child)["state"] == "idle")
    nursery.send(child, close=True)
    nursery.collect(child)
    status = nursery.status(child.removeprefix("session-"))
    assert (status["state"], status["runtime_status"]) == ("terminated", "exited")
    assert status["index_snapshot"]["pid"] is None
    assert status["exit"]["status"] == "completed"
    assert status["messages"] == {"sent": 1, "delivered": 1, "undelivered": 0, "input_closed": True}


@pytest.mark.proves("child:unknown")
def test_what_is_no_child_is_not_found(nursery: Nursery) -> None:
    with pytest.raises(NotFound, match="there is no child 'session-9'") as unknown:
        nursery.call("child_status", child_id="session-9")
    shown = refused("child-ops-fine", unknown.value)
    assert json.loads(shown["content"][0]["text"])["code"] == "E-CHILD-NOTFOUND"
    workflow = nursery.call("start_workflow", name="w")["workflow_id"]
    task = nursery.call("start_task", workflow_id=workflow, name="by hand", goal="x")
    session = nursery.call("session_list", taskId=task["task_id"])["sessions"][0]["id"]
    with pytest.raises(NotFound) as strange:
        nursery.status(f"session-{session}")
    assert "nobody here runs a process" in strange.value.hint
