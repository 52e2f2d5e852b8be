import json
import sys

import pytest

from deedlog.app import App
from deedlog.core.entry import Op
from deedlog.core.errors import Conflict, NotFound
from deedlog.core.workflow import Workflow
from deedlog.testing import Clock, caller
from tests.conftest import Call


def status(call: Call, workflow_id: str) -> str:
    return str(call("workflow_get", workflow_id=workflow_id)["status"])


def last_op(call: Call) -> str:
    return str(call("event_list")["events"][-1]["op_id"])


@pytest.mark.proves("ledger:undo:own-last", "ledger:undo:compensates")
def test_one_s_own_last_operation_is_taken_back_step_by_step(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("complete_workflow", workflow_id=workflow_id)
    assert call("ledger_undo")["operation"] == "complete_workflow"
    assert status(call, workflow_id) == "in_progress"
    assert call("ledger_undo")["removed"] == [{"uri": f"workflow://{workflow_id}", "title": "x"}]
    with pytest.raises(NotFound):
        call("workflow_get", workflow_id=workflow_id)
    with pytest.raises(NotFound, match="nothing that could be undone"):
        call("ledger_undo")


@pytest.mark.proves("ledger:undo:again")
def test_undoing_an_undo_brings_the_change_back(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    first = last_op(call)
    call("ledger_undo")
    call("ledger_undo", op_id=last_op(call))
    assert call("workflow_get", workflow_id=workflow_id)["name"] == "x"
    assert call("ledger_undo", op_id=first)["undone"] == first


@pytest.mark.proves("ledger:undo:own-last")
def test_what_was_brought_back_is_the_last_again(call: Call) -> None:
    call("start_workflow", name="a")
    second = call("start_workflow", name="b")["workflow_id"]
    for _ in range(3):
        assert call("ledger_undo")["removed"] == [{"uri": f"workflow://{second}", "title": "b"}]
        call("ledger_undo", op_id=last_op(call))
    assert call("ledger_undo")["removed"] == [{"uri": f"workflow://{second}", "title": "b"}]
    assert call("ledger_undo")["operation"] == "start_workflow"
    assert call("workflow_list")["workflows"] == []


@pytest.mark.proves("ledger:undo:compensates")
def test_what_is_restored_and_what_is_removed_are_told_apart_by_name(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("start_task", workflow_id=workflow_id, name="Login", goal="g")
    call("complete_task", task_id="1", status="success", outcome={"summary": "s", "manual_review_needed": True})
    answer = call("ledger_undo")
    titles = {thing["uri"].split(":")[0]: thing.get("title") for thing in answer["restored"]}
    assert titles == {"workflow": "x", "session": None, "task": "Login"}
    assert [(thing["uri"].split(":")[0], thing["title"]) for thing in answer["removed"]] == [("review", "s")]
    assert answer["count"] == 4
    back = call("ledger_undo", op_id=last_op(call))
    assert (len(back["restored"]), "removed" in back) == (4, False)


@pytest.mark.proves("ledger:undo:own-last")
def test_the_last_operation_is_the_last_in_the_log_whatever_the_clock_said(call: Call, app: App, clock: Clock) -> None:
    call("start_workflow", name="by a clock that was fast")
    clock.turn(seconds=-3600)
    app._last = 0  # as another process, on another machine
    last = call("start_workflow", name="an hour earlier, yet later")["workflow_id"]
    assert call("ledger_undo")["removed"][0]["uri"] == f"workflow://{last}"


@pytest.mark.proves("ledger:undo:own-last")
def test_a_call_that_changed_nothing_is_not_the_last_and_cannot_be_taken_back(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("complete_workflow", workflow_id=workflow_id)
    call("complete_workflow", workflow_id=workflow_id)
    with pytest.raises(Conflict, match="changed nothing that could be taken back"):
        call("ledger_undo", op_id=last_op(call))
    assert call("ledger_undo")["restored"] == [{"uri": f"workflow://{workflow_id}", "title": "x"}]
    assert status(call, workflow_id) == "in_progress"


@pytest.mark.proves("ledger:undo:again")
def test_an_undo_can_be_undone_as_often_as_one_likes(call: Call) -> None:
    """Longer than Python's stack is deep."""
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    first = last_op(call)
    for _ in range(sys.getrecursionlimit() // 2 + 1):
        call("ledger_undo", op_id=newest(call))
        call("ledger_undo", op_id=newest(call))
    assert status(call, workflow_id) == "in_progress"
    call("ledger_undo", op_id=newest(call))
    with pytest.raises(Conflict, match="was undone by"):
        call("ledger_undo", op_id=first)


def newest(call: Call) -> str:
    return str(call("event_list", last=True, limit=1)["events"][0]["op_id"])


@pytest.mark.proves("ledger:undo:compensates", "ledger:answer:size")
def test_an_operation_of_very_many_changes_is_taken_back_whole(app: App, call: Call) -> None:
    many = [Workflow(id=f"wf-{number}", name="n", created_at=number) for number in range(10_500)]
    op = Op(op_id="op-many", operation="bulk", effect="write", actor="tester", at=1)
    app.ledger.write(op, many)
    answer = call("ledger_undo")
    assert answer["count"] == len(many)
    assert len(json.dumps(answer)) < 40_000
    assert app.ledger.find(Workflow, limit=1) == []


@pytest.mark.proves("ledger:undo:again")
def test_an_undone_operation_cannot_be_undone_again(call: Call) -> None:
    call("start_workflow", name="x")
    first = last_op(call)
    call("ledger_undo", op_id=first)
    with pytest.raises(Conflict, match="was undone by"):
        call("ledger_undo", op_id=first)


@pytest.mark.proves("ledger:undo:changed-since")
def test_what_changed_again_since_is_not_overwritten(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    first = last_op(call)
    call("complete_workflow", workflow_id=workflow_id)
    with pytest.raises(Conflict, match="has changed since"):
        call("ledger_undo", op_id=first)
    assert status(call, workflow_id) == "completed"


@pytest.mark.proves("ledger:undo:own-last")
def test_somebody_else_s_work_is_only_undone_by_name(app: App, call: Call) -> None:
    app.call("start_workflow", {"name": "x"}, caller("someone"))
    with pytest.raises(NotFound):
        call("ledger_undo")
    assert call("ledger_undo", op_id=last_op(call))["operation"] == "start_workflow"


def test_an_unknown_op_is_named(call: Call) -> None:
    with pytest.raises(NotFound, match="'op-nope'"):
        call("ledger_undo", op_id="op-nope")


@pytest.mark.proves("ledger:undo:compensates")
def test_nothing_is_erased(call: Call) -> None:
    call("start_workflow", name="x")
    call("ledger_undo")
    assert [event["kind"] for event in call("event_list")["events"]] == ["workflow.created", "workflow.deleted"]
