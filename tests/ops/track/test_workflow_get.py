import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from tests.conftest import Call
from tests.ops.track.conftest import Work


@pytest.mark.proves("track:workflow:read")
def test_everything_recorded_of_a_workflow_is_read_back(call: Call, clock: Clock) -> None:
    plan = [{"step": "1", "goal": "Installer"}]
    started = call("start_workflow", name="認証", description="JWT", plan=plan)
    clock.turn(seconds=90)
    assert call("workflow_get", workflow_id=started["workflow_id"]) == {
        "workflow_id": started["workflow_id"],
        "name": "認証",
        "description": "JWT",
        "plan": plan,
        "status": "in_progress",
        "summary": "",
        "created_at": "2025-01-15T10:00:00Z",
        "duration_seconds": 90,
    }


@pytest.mark.proves("track:workflow:read")
def test_an_unknown_workflow_is_named(call: Call) -> None:
    with pytest.raises(NotFound, match="'wf-nope'") as refusal:
        call("workflow_get", workflow_id="wf-nope")
    assert refusal.value.data == {"workflow_id": "wf-nope"}
    assert "workflow_list" in refusal.value.hint


@pytest.mark.proves("input:name:both-spellings")
def test_the_other_spelling_of_an_argument_is_accepted(call: Call) -> None:
    started = call("start_workflow", name="x")
    assert call("workflow_get", workflowId=started["workflow_id"])["name"] == "x"


def test_how_many_tasks_it_has_is_told_by_their_status(work: Work) -> None:
    for status in ("success", "partial_success", "failed"):
        work.complete(work.start(), status)
    work.start()
    assert work.call("workflow_get", workflow_id=work.workflow_id)["tasks"] == {
        "done": 2,
        "failed": 1,
        "in_progress": 1,
    }
