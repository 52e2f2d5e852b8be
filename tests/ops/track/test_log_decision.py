from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid, NotFound
from tests.ops.track.conftest import Json, Work

DECISION = {
    "category": "library_choice",
    "question": "Quelle librairie de validation utiliser ?",
    "options_considered": ["Zod", "Yup", "Joi"],
    "chosen": "Zod",
    "reasoning": "Meilleur typage TypeScript natif",
    "trade_offs": "Moins de plugins que Joi",
}


@pytest.mark.proves("track:log-decision:recorded")
def test_a_decision_is_read_back_as_it_was_given(work: Work) -> None:
    task_id = work.start()
    answer = work.call("log_decision", task_id=task_id, **DECISION)
    assert set(answer) - {"warnings"} == {"decision_id", "created_at"}
    assert answer["created_at"] == "2025-01-15T10:00:00Z"
    (read,) = work.call("task_report", task_id=task_id)["decisions"]
    told = {name: answer[name] for name in ("decision_id", "created_at")}
    assert {name: value for name, value in read.items() if name != "trigger"} == {**DECISION, **told, "actor": "tester"}


def test_options_and_trade_offs_may_be_left_out(work: Work) -> None:
    said = {name: value for name, value in DECISION.items() if name not in ("options_considered", "trade_offs")}
    task_id = work.start()
    work.call("log_decision", task_id=task_id, **said)
    assert "trade_offs" not in work.call("task_report", task_id=task_id)["decisions"][0]


@pytest.mark.proves("track:enums:strict")
@pytest.mark.parametrize(
    ("tool", "arguments", "complaint", "hint"),
    [
        ("log_decision", {**DECISION, "category": "library"}, "category: 'library' is not one of", "library_choice"),
        ("log_issue", {"type": "bug", "description": "d", "resolution": "r"}, "type: 'bug' is not one of", "bug_enco"),
        ("complete_task", {"status": "sucess", "outcome": {"summary": "s"}}, "status: 'sucess' is not", "success"),
        (
            "complete_task",
            {"status": "success", "outcome": {"summary": "s"}, "metadata": {"tests_status": "pased"}},
            "metadata.tests_status: 'pased' is not one of",
            "passed",
        ),
    ],
)
def test_an_enum_is_strict_and_the_nearest_is_named(
    work: Work, tool: str, arguments: Json, complaint: str, hint: str
) -> None:
    task_id = work.start()
    with pytest.raises(Invalid, match=complaint) as refusal:
        work.call(tool, task_id=task_id, **arguments)
    assert hint in refusal.value.hint
    assert work.call("task_report", task_id=task_id)["status"] == "in_progress"


@pytest.mark.proves("track:log:unknown-task")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("log_decision", DECISION),
        ("log_issue", {"type": "other", "description": "d", "resolution": "r"}),
        ("log_milestone", {"message": "m"}),
        ("complete_task", {"status": "success", "outcome": {"summary": "s"}}),
    ],
)
def test_an_unknown_task_is_named(work: Work, tool: str, arguments: Json) -> None:
    with pytest.raises(NotFound, match="there is no task 'task-77'") as refusal:
        work.call(tool, task_id="task-77", **arguments)
    assert refusal.value.data == {"task_id": "task-77"}


@pytest.mark.proves("track:budget:warns")
@pytest.mark.parametrize(
    ("tool", "arguments", "most"),
    [
        ("log_decision", {**DECISION, "category": "trade_off"}, 3),
        ("log_issue", {"type": "other", "description": "d", "resolution": "r"}, 3),
        ("log_milestone", {"message": "m"}, 5),
    ],
)
def test_over_its_budget_a_call_succeeds_and_warns(work: Work, tool: str, arguments: Json, most: int) -> None:
    task_id = work.start()
    for _ in range(most):
        assert "warnings" not in work.call(tool, task_id=task_id, **arguments)
    kind = tool.removeprefix("log_")
    (warning,) = work.call(tool, task_id=task_id, **arguments)["warnings"]
    assert warning.startswith(f"task-1 has more than {most} {kind}s")
    assert len(work.call("task_report", task_id=task_id)[f"{kind}s"]) == most + 1
    assert "warnings" not in work.call(tool, task_id=work.start(), **arguments)


def test_a_remark_on_an_ended_task_is_recorded_with_a_warning(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id, status="failed")
    warning = work.call("log_decision", task_id=task_id, **DECISION)["warnings"][0]
    assert warning == "task-1 is failed: it ended at 2025-01-15T10:00:00Z; this was recorded all the same"
    assert len(work.call("task_report", task_id=task_id)["decisions"]) == 1


@pytest.mark.proves("track:log:undone")
def test_a_mistaken_entry_is_taken_back(work: Work) -> None:
    task_id = work.start()
    decision = work.call("log_decision", task_id=task_id, **DECISION)
    assert work.call("ledger_undo")["removed"][0]["uri"] == f"decision://{decision['decision_id']}"
    assert "decisions" not in work.call("task_report", task_id=task_id)
    assert work.call("ledger_search", query="validation")["hits"] == []


def test_a_decision_is_found_by_its_words(work: Work) -> None:
    work.call("log_decision", task_id=work.start(), **DECISION)
    for words in ("librairie validation", "zod", "typage", "joi"):
        (hit,) = work.call("ledger_search", query=words)["hits"]
        assert (hit["kind"], hit["title"]) == ("decision", DECISION["question"])
