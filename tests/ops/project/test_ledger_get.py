from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.task import Task
from deedlog.testing import caller
from tests.conftest import Call

DECISION = {"category": "library_choice", "question": "Which?", "chosen": "this", "reasoning": "It is small"}


@pytest.fixture
def task_id(call: Call) -> str:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    return str(call("start_task", workflow_id=workflow_id, name="Setup JWT", goal="g", areas=["auth"])["task_id"])


@pytest.mark.proves("ledger:get:anything")
def test_what_a_search_names_can_be_opened(call: Call, task_id: str) -> None:
    decision_id = call("log_decision", task_id=task_id, **DECISION)["decision_id"]
    [hit] = call("ledger_search", query="which", kinds=["decision"])["hits"]
    found = call("ledger_get", uri=hit["uri"])
    assert found.pop("fields").items() >= DECISION.items()
    assert found.pop("subjects")[0] == hit["uri"] == f"decision://{decision_id}"
    assert found == {
        "uri": hit["uri"],
        "kind": "decision",
        "text": "decision: Which? → this",
        "version": 1,
        "created_at": "2025-01-15T10:00:00Z",
        "created_by": "tester",
    }


@pytest.mark.proves("ledger:get:anything")
def test_it_tells_who_changed_it_last_and_not_what_happened_to_its_parts(app: App, call: Call, task_id: str) -> None:
    workflow_id = call("workflow_list")["workflows"][0]["workflow_id"]
    part = {"workflow_id": workflow_id, "parent_task_id": task_id, "name": "Part", "goal": "g"}
    part_id = app.call("start_task", part, caller("codex"))["task_id"]
    assert "changed_by" not in call("ledger_get", uri=task_id)
    done = {"status": "success", "outcome": {"summary": "s"}}
    app.call("complete_task", {"task_id": part_id, **done}, caller("codex"))
    app.call("complete_task", {"task_id": task_id, **done}, caller("ann"))
    found = call("ledger_get", uri=task_id)
    assert (found["created_by"], found["changed_by"], found["version"]) == ("tester", "ann", 2)
    assert (found["fields"]["status"], found["fields"]["created_at"]) == ("done", "2025-01-15T10:00:00Z")


@pytest.mark.proves("ledger:get:anything")
@pytest.mark.usefixtures("task_id")
@pytest.mark.parametrize("name", ["task-1", "task://1", "task://task-1", " task-1 ", "session-1", "session://1"])
def test_things_are_found_by_what_people_call_them(call: Call, name: str) -> None:
    found = call("ledger_get", uri=name)
    assert found["fields"]["number"] == 1
    assert call("ledger_get", uri=found["uri"]) == call("ledger_get", uri=found["subjects"][0].split("://")[1]) == found


def test_what_came_back_was_created_first_and_changed_by_coming_back(app: App, call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    undo = call("ledger_undo")
    assert undo["count"] == 1
    back = call("event_list")["events"][-1]["op_id"]
    app.call("ledger_undo", {"op_id": back}, caller("ann"))
    found = call("ledger_get", uri=workflow_id)
    assert (found["created_by"], found["changed_by"]) == ("tester", "ann")


def test_a_long_thing_says_that_it_is_cut(call: Call) -> None:
    plan = [{"step": "1", "goal": '"' * 2_000}] * 4
    workflow_id = call("start_workflow", name="x", description='"' * 9_000, plan=plan)["workflow_id"]
    found = call("ledger_get", uri=workflow_id)
    assert found["truncated"]
    assert found["fields"]["description"].endswith("…")


@pytest.mark.parametrize(
    ("uri", "kind", "complaint", "hint"),
    [
        ("decison://dec-1", Invalid, "uri: there is no kind 'decison'", "did you mean 'decision'?"),
        ("https://example.org", Invalid, "no kind 'https'", "there are: workflow, task, session"),
        ("7", Invalid, "7 alone may be several things", "write task-7 or session-7"),
        ("decision://dec-1", NotFound, "there is no decision 'dec-1'", "ledger_search"),
        ("task-9", NotFound, "nothing is called 'task-9'", "ledger_search"),
        (" ", NotFound, "nothing is called ''", "ledger_search"),
    ],
)
def test_what_is_not_there_is_refused(call: Call, uri: str, kind: Any, complaint: str, hint: str) -> None:
    with pytest.raises(kind, match=complaint) as refused:
        call("ledger_get", uri=uri)
    assert refused.value.hint.startswith(hint)


@pytest.mark.parametrize("name", ["task-2", "task://2", "task://task-2"])
def test_a_number_that_no_thing_has_is_told_from_one_that_is_still_to_come(app: App, call: Call, name: str) -> None:
    call("task_create", title="first")
    app.ledger.next_number(Task)  # taken by a call that came to nothing
    call("task_create", title="third")
    with pytest.raises(NotFound) as refused:
        call("ledger_get", uri=name)
    assert refused.value.hint.startswith("a call took this number and made no task of it")
