import threading

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid, NotFound
from deedlog.testing import Clock, caller
from tests.conftest import Call


@pytest.mark.proves("ledger:event:what-changed")
def test_an_event_says_what_changed_when_and_by_whom(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("complete_workflow", workflow_id=workflow_id)
    created, changed = call("event_list")["events"]
    assert created["after"]["name"] == "x"
    assert "before" not in created
    assert changed["before"] == {"status": "in_progress", "ended_at": None}
    assert changed["after"] == {"status": "completed", "ended_at": 1_736_935_200_000_001}
    del changed["before"], changed["after"], changed["op_id"]
    assert changed == {
        "seq": 2,
        "at": "2025-01-15T10:00:00Z",
        "kind": "workflow.changed",
        "actor": "tester",
        "text": "workflow x completed",
        "operation": "complete_workflow",
        "subjects": [f"workflow://{workflow_id}"],
    }


@pytest.mark.proves("ledger:events:exclusive")
def test_from_seq_is_exclusive_and_a_loop_over_next_seq_ends(call: Call) -> None:
    for number in range(5):
        call("start_workflow", name=str(number))
    seen, position = [], 0
    while page := call("event_list", from_seq=position, limit=2):
        if not page["events"]:
            break
        seen += [event["seq"] for event in page["events"]]
        position = page["next_seq"]
    assert seen == [1, 2, 3, 4, 5]
    assert call("event_list", from_seq=99)["next_seq"] == 99


@pytest.mark.proves("ledger:events:exclusive", "ledger:events:filtered")
def test_a_filter_that_matches_nothing_moves_on_to_the_head(call: Call) -> None:
    call("start_workflow", name="x")
    assert call("event_list", kind="workflow.deleted") == {"events": [], "next_seq": 1}


@pytest.mark.proves("ledger:events:filtered")
def test_filters_by_subject_actor_kind_and_operation(app: App, call: Call) -> None:
    one = call("start_workflow", name="one")["workflow_id"]
    app.call("start_workflow", {"name": "two"}, caller("someone"))
    call("complete_workflow", workflow_id=one)

    def seqs(**filters: str) -> list[int]:
        return [event["seq"] for event in call("event_list", **filters)["events"]]

    assert seqs(subject=f"workflow://{one}") == [1, 3]
    assert seqs(actor="someone") == [2]
    assert seqs(kind="workflow.created") == [1, 2]
    assert seqs(operation="complete_workflow", actor="tester") == [3]


@pytest.mark.proves("ledger:events:wait")
def test_waiting_returns_as_soon_as_something_happens(app: App, call: Call, clock: Clock) -> None:
    seen: list[int] = []

    def follow() -> None:
        found = app.call("event_list", {"from_seq": 0, "wait_ms": 60_000}, caller("watcher"))
        seen.extend(event["seq"] for event in found["events"])

    watcher = threading.Thread(target=follow)
    watcher.start()
    call("start_workflow", name="x")
    watcher.join(timeout=20)
    assert seen == [1]


@pytest.mark.proves("ledger:events:wait")
def test_waiting_in_vain_ends(call: Call) -> None:
    assert call("event_list", wait_ms=1) == {"events": [], "next_seq": 0}


def test_the_last_events_come_in_the_same_order(call: Call) -> None:
    for number in range(5):
        call("start_workflow", name=str(number))
    page = call("event_list", last=True, limit=2)
    assert [event["seq"] for event in page["events"]] == [4, 5]
    assert page["next_seq"] == 5


def test_the_last_events_that_fit_are_the_newest(call: Call) -> None:
    for _ in range(5):
        call("start_workflow", name="x", description="d" * 9_000)
    page = call("event_list", last=True)
    assert [event["seq"] for event in page["events"]] == [3, 4, 5]


def test_why_something_was_done_is_told(app: App, call: Call) -> None:
    app.call("start_workflow", {"name": "x"}, caller(cause="ticket 7"))
    assert call("event_list")["events"][0]["cause"] == "ticket 7"


@pytest.mark.parametrize("subject", ["task://1", "task://task-1", "task-1"])
def test_what_people_call_by_its_number_is_found_by_it(call: Call, subject: str) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    task_id = call("start_task", workflow_id=workflow_id, name="n", goal="g")["task_id"]
    call("log_milestone", task_id=task_id, message="m")
    kinds = [event["kind"] for event in call("event_list", subject=subject)["events"]]
    assert kinds == ["session.created", "task.created", "milestone.created"]


@pytest.mark.parametrize(
    ("filters", "complaint", "hint"),
    [
        ({"kind": "milestones"}, "kind: there is no kind 'milestones'", "did you mean 'milestone.created'?"),
        ({"kind": "task.chnged"}, "kind: there is no kind 'task.chnged'", "did you mean 'task.changed'?"),
        ({"kind": "zzzzzz"}, "no kind 'zzzzzz'", "there are: workflow.created, workflow.changed, workflow.deleted"),
        ({"subject": "taks://1"}, "subject: there is no kind 'taks'", "did you mean 'task'?"),
        ({"subject": "1"}, "subject: 1 alone may be several things", "write task-1 or session-1"),
    ],
)
def test_a_filter_that_can_match_nothing_is_refused(
    call: Call, filters: dict[str, str], complaint: str, hint: str
) -> None:
    with pytest.raises(Invalid, match=complaint) as refused:
        call("event_list", **filters)
    assert refused.value.hint == hint


def test_calls_that_changed_nothing_of_ours_have_a_kind_too(call: Call) -> None:
    assert call("event_list", kind="some_operation.called")["events"] == []


def test_a_name_that_nothing_has_is_refused_and_what_is_gone_still_has_its_events(call: Call) -> None:
    with pytest.raises(NotFound, match="nothing is called 'task-9'"):
        call("event_list", subject="task-9")
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("ledger_undo")
    kinds = [event["kind"] for event in call("event_list", subject=f"workflow://{workflow_id}")["events"]]
    assert kinds == ["workflow.created", "workflow.deleted"]


@pytest.mark.proves("ledger:event:headline")
def test_each_event_has_a_line_for_people(call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    task_id = call("start_task", workflow_id=workflow_id, name="Setup JWT", goal="g")["task_id"]
    call("log_milestone", task_id=task_id, message="Running tests...", progress=50)
    said = {"category": "library_choice", "question": "Which JWT library?", "chosen": "jsonwebtoken", "reasoning": "r"}
    call("log_decision", task_id=task_id, **said)
    call("complete_task", task_id=task_id, status="success", outcome={"summary": "Tokens are verified"})
    texts = [event["text"] for event in call("event_list")["events"]]
    assert texts[0] == "workflow Add login started"
    assert sorted(texts[1:3]) == ["task-1 Setup JWT started", "task-1 session-1 started"]
    assert texts[3:5] == [
        "task-1 milestone 50 % Running tests...",
        "task-1 decision: Which JWT library? → jsonwebtoken",
    ]
    assert {"task-1 Setup JWT done", "task-1 success: Tokens are verified"} < set(texts[5:])


def test_the_page_before_ends_where_the_last_one_began(call: Call) -> None:
    for number in range(5):
        call("start_workflow", name=str(number))
    seqs, before = [], 6
    while events := call("event_list", last=True, before_seq=before, limit=2)["events"]:
        seqs.append([event["seq"] for event in events])
        before = events[0]["seq"]
    assert seqs == [[4, 5], [2, 3], [1]]


def test_whatever_happened_to_things_of_a_kind_is_found_or_left_out(call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    task_id = call("start_task", workflow_id=workflow_id, name="n", goal="g")["task_id"]
    call("complete_task", task_id=task_id, status="success", outcome={"summary": "s"})

    def kinds(**filters: object) -> set[str]:
        return {event["kind"] for event in call("event_list", **filters)["events"]}

    assert kinds(kind="task") == {"task.created", "task.changed"}
    assert kinds(without=["task", "session"]) == {"workflow.created", "workflow.changed"}
    with pytest.raises(Invalid, match="without: there is no kind 'taks'"):
        kinds(without=["taks"])


def test_a_brief_list_has_no_values(call: Call) -> None:
    call("start_workflow", name="x", description="d" * 9_000)
    (event,) = call("event_list", brief=True)["events"]
    assert event["text"] == "workflow x started"
    assert not {"before", "after"} & event.keys()
