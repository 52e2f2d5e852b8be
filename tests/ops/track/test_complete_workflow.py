import pytest

from deedlog.core.errors import Conflict, NotFound
from deedlog.testing import Clock
from tests.conftest import Call
from tests.ops.track.conftest import Work


@pytest.mark.proves("track:complete-workflow:ends")
def test_a_workflow_ends_with_its_duration(call: Call, clock: Clock) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    clock.turn(seconds=61.4)
    assert call("complete_workflow", workflow_id=workflow_id, status="partial", summary="half") == {
        "workflow_id": workflow_id,
        "status": "partial",
        "ended_at": "2025-01-15T10:01:01.400Z",
        "duration_seconds": 61,
    }
    read = call("workflow_get", workflow_id=workflow_id)
    assert (read["status"], read["summary"], read["duration_seconds"]) == ("partial", "half", 61)


@pytest.mark.proves("track:complete-workflow:repeat")
def test_the_same_end_twice_is_one_end(call: Call, clock: Clock) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    first = call("complete_workflow", workflow_id=workflow_id)
    clock.turn(seconds=5)
    assert call("complete_workflow", workflow_id=workflow_id) == first
    assert len(call("event_list", subject=f"workflow://{workflow_id}")["events"]) == 2


@pytest.mark.proves("track:complete-workflow:repeat")
def test_another_end_is_refused(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("complete_workflow", workflow_id=workflow_id)
    with pytest.raises(Conflict, match="ended as completed"):
        call("complete_workflow", workflow_id=workflow_id, status="failed")


def test_an_unknown_workflow_cannot_end(call: Call) -> None:
    with pytest.raises(NotFound):
        call("complete_workflow", workflow_id="wf-nope")


def test_open_tasks_are_named(work: Work) -> None:
    work.start()
    work.start()
    work.complete("task-1")
    with pytest.raises(Conflict, match="has open tasks: task-2"):
        work.call("complete_workflow", workflow_id=work.workflow_id)
    assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"


@pytest.mark.proves("track:workflow:ends-derived")
def test_what_is_said_replaces_the_end_that_followed_from_the_tasks(work: Work, clock: Clock) -> None:
    work.complete(work.start(), "failed")
    clock.turn(seconds=10)
    answer = work.call("complete_workflow", workflow_id=work.workflow_id, status="partial", summary="half")
    assert (answer["status"], answer["ended_at"]) == ("partial", "2025-01-15T10:00:10Z")
    assert work.call("complete_workflow", workflow_id=work.workflow_id, status="partial", summary="half") == answer
    with pytest.raises(Conflict, match="ended as partial"):
        work.call("complete_workflow", workflow_id=work.workflow_id)
