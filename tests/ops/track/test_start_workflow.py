import json

import pytest

from deedlog.core.errors import Invalid
from tests.conftest import Call


@pytest.mark.proves("track:start-workflow:answer", "track:time:iso")
def test_the_document_s_example_gives_an_id_and_a_time(call: Call) -> None:
    answer = call(
        "start_workflow",
        name="Migration NextAuth v5",
        description="Migrer de NextAuth v4 vers v5 avec nouveaux callbacks",
        plan=[{"step": "1", "goal": "Installer NextAuth v5"}, {"step": "2", "goal": "Configurer routes API"}],
    )
    assert answer["created_at"] == "2025-01-15T10:00:00Z"
    assert set(answer) == {"workflow_id", "created_at"}


@pytest.mark.proves("track:start-workflow:answer", "input:null:absent")
def test_a_name_alone_is_enough_and_null_equals_absent(call: Call) -> None:
    started = call("start_workflow", name="x", description=None, plan=None)
    assert call("workflow_get", workflow_id=started["workflow_id"])["plan"] == []


@pytest.mark.proves("track:start-workflow:limits", "input:mistake:named", "input:mistake:nothing-written")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "name: is required"),
        ({"name": " "}, "name: must not be empty"),
        ({"name": "x" * 201}, "at most 200"),
        ({"name": 5}, "name: must be text"),
        ({"name": "x", "plan": [{"step": "1"}]}, r"plan\[0\]\.goal: is required"),
        ({"name": "x", "plan": [{"step": "1", "goal": "g" * 1500}] * 10}, "plan: has 15010 characters in all"),
        ({"name": "x", "planns": []}, "planns: is not known"),
    ],
)
def test_a_mistake_is_named_where_it_was_made(call: Call, arguments: dict[str, object], complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        call("start_workflow", **arguments)
    assert call("event_list")["events"] == []


def test_the_largest_workflow_there_can_be_is_read_back_in_one_answer(call: Call) -> None:
    plan = [{"step": "1", "goal": "g" * 99}] * 100
    started = call("start_workflow", name="n" * 200, description="d" * 10_000, plan=plan)
    call("complete_workflow", workflow_id=started["workflow_id"], summary="s" * 10_000)
    for answer in (call("workflow_get", workflow_id=started["workflow_id"]), call("event_list")):
        assert len(json.dumps(answer)) < 40_000
