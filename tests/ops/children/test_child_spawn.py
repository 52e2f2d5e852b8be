from __future__ import annotations

import pytest

from tests.ops.children.conftest import Nursery


@pytest.mark.proves("child:spawn")
def test_a_child_works_on_a_task_made_of_its_prompt(nursery: Nursery) -> None:
    child = nursery.spawn("write a.txt hello", "print done", role="tester", metadata={"for": "x"})
    assert child["child_id"].startswith("session-")
    assert child["role"] == "tester"
    assert child["ready"]
    ended = nursery.collect(child["child_id"])
    assert (ended["state"], ended["runtime_status"]) == ("terminated", "exited")
    assert ended["exit"]["exit_code"] == 0
    assert ended["outputs"]["artifacts"] == ["a.txt"]
    assert [entry["message"] for entry in ended["outputs"]["messages"]] == ["done"]
    task = nursery.call("task_get", id=child["task_id"])
    assert task["title"].startswith("do: write a.txt hello")
