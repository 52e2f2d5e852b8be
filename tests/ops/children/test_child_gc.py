from __future__ import annotations

import os

import pytest

from tests.ops.children.conftest import Nursery


def removed(answer: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {row["child_id"]: row["reason"] for row in answer["removed"]}


@pytest.mark.proves("child:cancel")
def test_what_ended_children_left_is_cleared_unless_work_would_be_lost(nursery: Nursery) -> None:
    empty = nursery.spawn("print x")["child_id"]
    worked = nursery.spawn("write a.txt x")["child_id"]
    live = nursery.talk()
    for child in (empty, worked):
        nursery.collect(child)
    rehearsed = nursery.call("child_gc", dry_run=True)
    assert removed(rehearsed) == {empty: "empty"}
    assert len(nursery.trees()) == 3
    answer = nursery.call("child_gc")
    assert removed(answer) == {empty: "empty"}
    kept = {row["child_id"]: row["reason"] for row in answer["kept"]}
    assert kept[live] == "it is running"
    assert "nowhere else: 1 uncommitted file" in kept[worked]
    assert len(nursery.trees()) == 2
    assert nursery.call("child_gc")["removed"] == []


def test_discarded_work_can_be_brought_back(nursery: Nursery) -> None:
    child = nursery.spawn("write a.txt precious", "commit saved", "write b.txt loose")
    nursery.collect(child["child_id"])
    answer = nursery.call("child_gc", child_ids=[child["child_id"]], discard=True)
    assert removed(answer) == {child["child_id"]: "discarded"}
    assert not os.path.exists(child["workdir"])
    assert nursery.call("task_get", id=child["task_id"])["status"] == "failed"
    nursery.call("worker_restore", sessionId=child["child_id"])
    with open(f"{child['workdir']}/b.txt", encoding="utf-8") as file:
        assert file.read() == "loose\n"
    with open(f"{child['workdir']}/a.txt", encoding="utf-8") as file:
        assert file.read() == "precious\n"


def test_clearing_an_empty_tree_decides_nothing_about_its_task(nursery: Nursery) -> None:
    child = nursery.spawn("print just an answer")
    nursery.collect(child["child_id"])
    before = nursery.call("task_get", id=child["task_id"])["status"]
    nursery.call("child_gc")
    assert nursery.call("task_get", id=child["task_id"])["status"] == before
    nursery.call("worker_restore", sessionId=child["child_id"])
    assert nursery.call("worker_done", sessionId=child["child_id"], force=True)["taskStatus"] == "done"


def test_what_was_merged_by_hand_is_cleared(nursery: Nursery) -> None:
    child = nursery.spawn("write a.txt x", "commit made")["child_id"]
    nursery.collect(child)
    nursery.git("merge", "--quiet", nursery.session(child).branch)
    assert removed(nursery.call("child_gc")) == {child: "empty"}
    assert nursery.trees() == []


def test_one_that_is_gone_or_runs_is_told(nursery: Nursery) -> None:
    child = nursery.spawn("print x")["child_id"]
    nursery.collect(child)
    nursery.call("child_gc")
    again = nursery.call("child_gc", child_ids=[child])
    assert again["kept"] == [{"child_id": child, "reason": "its work tree is not here"}]
