from __future__ import annotations

import os

import pytest

from deedlog.core.entry import Op
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


def test_a_task_made_of_the_prompt_is_done_when_the_child_only_answered(nursery: Nursery) -> None:
    workflow = nursery.call("start_workflow", name="questions")["workflow_id"]
    child = nursery.spawn("print just an answer", workflow_id=workflow)
    failed = nursery.spawn("exit 3")
    for one in (child, failed):
        nursery.collect(one["child_id"])
    nursery.call("child_gc")
    assert nursery.trees() == []
    task = nursery.call("task_get", id=child["task_id"])
    assert (task["status"], task.get("awaits", "")) == ("done", "")
    assert nursery.call("workflow_get", workflow_id=workflow)["status"] == "completed"
    assert nursery.call("task_get", id=failed["task_id"])["status"] == "failed"
    nursery.call("worker_restore", sessionId=child["child_id"])
    assert nursery.call("task_get", id=child["task_id"])["status"] == "done"


def test_of_any_other_task_worker_done_says_whether_it_is_done(nursery: Nursery) -> None:
    check = {"label": "there", "command": ["test", "-e", "a.txt"]}
    named = nursery.spawn("print x", task_id=nursery.task("print y"))
    checked = nursery.spawn("print x", task_id=nursery.task("print y", labels=["child"], checks=[check]))
    for one in (named, checked):
        nursery.collect(one["child_id"])
    answer = nursery.call("child_gc")
    assert answer["removed"] == []
    assert all("worker_done" in row["reason"] for row in answer["kept"])
    done = nursery.call("worker_done", sessionId=named["child_id"], force=True)
    assert done["taskStatus"] == "done"
    assert removed(nursery.call("child_gc", discard=True)) == {checked["child_id"]: "discarded"}
    assert nursery.call("task_get", id=checked["task_id"])["status"] == "failed"


@pytest.mark.parametrize(("how", "status"), [(None, "done"), ("merge", "done"), ("discard", "failed")])
def test_what_was_swept_without_a_word_about_its_task_can_still_be_decided(
    nursery: Nursery, how: str | None, status: str
) -> None:
    child = nursery.spawn("print x", task_id=nursery.task("print y"))
    nursery.collect(child["child_id"])
    session = nursery.session(child["child_id"])
    kept = nursery.app.worktrees.keep(child["workdir"], session.ref)
    op = Op(
        op_id="op-swept",
        operation="child_gc",
        effect="destroy",
        actor="tester",
        at=session.started_at,
        cause="",
        idempotency_key=None,
        arguments_digest="",
        undo_of=None,
        answer={},
    )
    nursery.app.ledger.write(op, [session.replace(commit=kept)])
    nursery.app.worktrees.remove(child["workdir"], session.branch)
    answer = nursery.call("worker_done", sessionId=child["child_id"], how=how)
    assert answer["taskStatus"] == status
    assert nursery.call("worker_done", sessionId=child["child_id"], how=how) == answer


def test_what_was_merged_by_hand_is_cleared(nursery: Nursery) -> None:
    spawned = nursery.spawn("write a.txt x", "commit made")
    child = spawned["child_id"]
    nursery.collect(child)
    nursery.git("merge", "--quiet", nursery.session(child).branch)
    assert removed(nursery.call("child_gc")) == {child: "merged"}
    assert nursery.trees() == []
    session = nursery.session(child)
    assert (session.dod_result, session.merge["by"]) == ("merged", "elsewhere")
    assert nursery.call("task_get", id=spawned["task_id"])["status"] == "done"


def test_one_that_is_gone_or_runs_is_told(nursery: Nursery) -> None:
    child = nursery.spawn("print x")["child_id"]
    nursery.collect(child)
    nursery.call("child_gc")
    again = nursery.call("child_gc", child_ids=[child])
    assert again["kept"] == [{"child_id": child, "reason": "its work tree is not here"}]
