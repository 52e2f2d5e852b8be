from __future__ import annotations

from tests.ops.children.conftest import Nursery


def test_children_are_listed_newest_first_in_pages_and_by_state(nursery: Nursery) -> None:
    done = [nursery.spawn(f"print {number}", role=f"r{number}")["child_id"] for number in range(3)]
    for child in done:
        nursery.collect(child)
    live = nursery.talk()
    rows = nursery.call("child_list")["children"]
    assert [row["child_id"] for row in rows] == [live, *reversed(done)]
    assert [row["role"] for row in rows] == [None, "r2", "r1", "r0"]
    first = nursery.call("child_list", limit=2)
    second = nursery.call("child_list", limit=2, cursor=first["next_cursor"])
    assert [row["child_id"] for row in first["children"] + second["children"]] == [live, *reversed(done)]
    assert [row["child_id"] for row in nursery.call("child_list", state="live")["children"]] == [live]
    assert len(nursery.call("child_list", state="terminated")["children"]) == 3
    assert nursery.call("child_list", state="stopping")["children"] == []


def test_workers_are_children_too_and_sessions_of_people_are_not(nursery: Nursery) -> None:
    nursery.call("session_start", taskId=nursery.task("print x"), agent="hand")
    assert nursery.call("child_list")["children"] == []
    number = nursery.ended("print x")["sessionId"]
    assert [row["child_id"] for row in nursery.call("child_list")["children"]] == [f"session-{number}"]
